// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/cuda/ptx/mma.cuh"

// A block's tile of a convolution on tensor cores. Both operands lie in shared memory with k
// contiguous, 64 bytes a row and k-tile: what the rows hold (32 elements of 16 bits, or 16 of TF32)
// does not matter to the addresses.

namespace tessera::cuda {

constexpr int kMmaVectorBytes = 16;
constexpr int kMmaRowVectors = 4;

// Tile (BlockM, BlockN) of D, (WarpM, WarpN) of it a warp.
template <int BlockM, int BlockN, int WarpM, int WarpN>
struct MmaConvTile {
  static constexpr int kBlockM = BlockM;
  static constexpr int kBlockN = BlockN;
  static constexpr int kWarpM = WarpM;
  static constexpr int kWarpN = WarpN;
  static constexpr int kWarpsN = BlockN / WarpN;
  static constexpr int kThreads = BlockM / WarpM * kWarpsN * 32;
  static constexpr int kMmasM = WarpM / 16;
  static constexpr int kMmasN = WarpN / 8;
  static constexpr int kStages = 4;
  static constexpr int kPitch = BlockN + 8;  // of the results; spreads their rows over the banks
  static_assert(BlockM % WarpM == 0 && BlockN % WarpN == 0, "warps tile the block evenly");
  static_assert(WarpM % 16 == 0 && WarpN % 16 == 0, "ldmatrix reads 16 rows or columns");
};

// One k-tile of rows, each of 4 vectors. Vector v of row r is at place v ^ (r / 2 % 4), so that the
// 8 rows that ldmatrix reads at a time lie in different banks.
template <int kRows>
struct alignas(16) MmaRows {
  uint4 vectors[kRows][kMmaRowVectors];

  __device__ __forceinline__ uint4* at(int row, int vector) {
    return &vectors[row][vector ^ (row / 2 % kMmaRowVectors)];
  }
};

template <typename Tile>
union MmaShared {
  struct {
    MmaRows<Tile::kBlockM> src[Tile::kStages];
    MmaRows<Tile::kBlockN> weights[Tile::kStages];
  } stages;
  float results[Tile::kBlockM][Tile::kPitch];
};

// Where the tile of a warp begins.
struct WarpPosition {
  int row, column;
};
template <typename Tile>
__device__ __forceinline__ WarpPosition warp_position() {
  const int warp = threadIdx.x / 32;
  return {warp / Tile::kWarpsN * Tile::kWarpM, warp % Tile::kWarpsN * Tile::kWarpN};
}

// r_acc += src * weights^T over one k-tile.
template <typename Tile, typename T>
__device__ __forceinline__ void multiply_mma_tile(MmaRows<Tile::kBlockM>& s_src,
                                                  MmaRows<Tile::kBlockN>& s_weights,
                                                  WarpPosition warp,
                                                  float (&r_acc)[Tile::kMmasM][Tile::kMmasN][4]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int vector = 0; vector < kMmaRowVectors; vector += 2) {
    uint32_t r_src[Tile::kMmasM][4];
    uint32_t r_weights[Tile::kMmasN][2];
#pragma unroll
    for (int i = 0; i < Tile::kMmasM; ++i) {
      // Rows 0 to 15 of one vector, then of the next: the order of A's registers.
      load_matrices(s_src.at(warp.row + i * 16 + lane % 16, vector + lane / 16), r_src[i]);
    }
#pragma unroll
    for (int j = 0; j < Tile::kMmasN; j += 2) {
      // Both vectors of columns 0 to 7, then of 8 to 15: B's registers of two products.
      uint32_t r[4];
      load_matrices(
          s_weights.at(warp.column + j * 8 + lane / 16 * 8 + lane % 8, vector + lane / 8 % 2), r);
      r_weights[j][0] = r[0];
      r_weights[j][1] = r[1];
      r_weights[j + 1][0] = r[2];
      r_weights[j + 1][1] = r[3];
    }
#pragma unroll
    for (int i = 0; i < Tile::kMmasM; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kMmasN; ++j) {
        multiply_matrices<T>(r_src[i], r_weights[j], r_acc[i][j]);
      }
    }
  }
}

// s_results (BlockM, BlockN) = r_acc of all warps.
template <typename Tile>
__device__ __forceinline__ void stage_results(const float (&r_acc)[Tile::kMmasM][Tile::kMmasN][4],
                                              WarpPosition warp,
                                              float (&s_results)[Tile::kBlockM][Tile::kPitch]) {
  const int row = warp.row + threadIdx.x % 32 / 4;
  const int column = warp.column + threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < Tile::kMmasM; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kMmasN; ++j) {
      const float* x = r_acc[i][j];
      *reinterpret_cast<float2*>(&s_results[row + i * 16][column + j * 8]) =
          make_float2(x[0], x[1]);
      *reinterpret_cast<float2*>(&s_results[row + i * 16 + 8][column + j * 8]) =
          make_float2(x[2], x[3]);
    }
  }
}

}  // namespace tessera::cuda
