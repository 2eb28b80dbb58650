// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

// A block's tile of a matrix product divided into tiles of warps, and those into 4 x 4 pieces of
// threads, so that reading shared memory costs as little as the hardware allows.

namespace tessera::cuda {

// Tile (BlockM, BlockN) of D a block, k-tiles of BlockK, (WarpM, WarpN) of it a warp. The lanes lie
// 8 along M and 4 along N; each has a 4 x 4 piece in every (32, 16) part of its warp's tile. The
// compiler leaves registers for kBlocksPerMultiprocessor blocks.
template <int BlockM, int BlockN, int BlockK, int WarpM, int WarpN, int BlocksPerMultiprocessor>
struct WarpTile {
  static constexpr int kBlockM = BlockM;
  static constexpr int kBlockN = BlockN;
  static constexpr int kBlockK = BlockK;
  static constexpr int kBlocksPerMultiprocessor = BlocksPerMultiprocessor;
  static constexpr int kLanesM = 8;
  static constexpr int kLanesN = 4;
  static constexpr int kPieceStepM = kLanesM * 4;
  static constexpr int kPieceStepN = kLanesN * 4;
  static constexpr int kThreadM = WarpM / kLanesM;
  static constexpr int kThreadN = WarpN / kLanesN;
  static constexpr int kWarpsN = BlockN / WarpN;
  static constexpr int kWarpM = WarpM;
  static constexpr int kWarpN = WarpN;
  static constexpr int kThreads = BlockM / WarpM * kWarpsN * 32;
  // Keeps the rows of the shared tiles aligned for 16-byte reads and spreads the writes of a tile
  // that arrives with k fastest over the banks.
  static constexpr int kPad = 4;
  static constexpr int kPitchM = BlockM + kPad;
  static constexpr int kPitchN = BlockN + kPad;

  static_assert(BlockM % WarpM == 0 && BlockN % WarpN == 0, "warps tile the block evenly");
  static_assert(WarpM % kPieceStepM == 0 && WarpN % kPieceStepN == 0, "lanes tile the warp evenly");
  static_assert(kThreads <= 1024, "at most a block of threads");
  static_assert(kPitchM % 4 == 0 && kPitchN % 4 == 0, "rows are read as 16-byte vectors");
};

// Where a thread's pieces begin in the block's tile. A 16-byte read is served per half warp in one
// pass when it needs at most 128 different bytes and neighbours, or neighbours but one, read the
// same ones. Lanes 2i and 2i + 1 have the same rows and lanes 4i + j and 4i + j + 2 the same
// columns, and a half warp has all 8 pieces of rows, 128 bytes, and 2 pieces of columns.
struct ThreadPosition {
  int row, column;
};
template <typename Tile>
__device__ __forceinline__ ThreadPosition thread_position() {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int lane_m = lane / 2 % Tile::kLanesM;
  const int lane_n = lane % 2 + lane / 16 * 2;
  return {warp / Tile::kWarpsN * Tile::kWarpM + lane_m * 4,
          warp % Tile::kWarpsN * Tile::kWarpN + lane_n * 4};
}

// Four neighbouring elements of shared memory by one 16-byte read.
__device__ __forceinline__ void read_vector(const float* s_vector, float* r_vector) {
  const float4 v = *reinterpret_cast<const float4*>(s_vector);
  r_vector[0] = v.x;
  r_vector[1] = v.y;
  r_vector[2] = v.z;
  r_vector[3] = v.w;
}

// r_acc += A * B over one k-tile, where s_a points to this thread's first row of A at k = 0 in a
// tile (BlockK, PitchM), and s_b to its first column of B in a tile (BlockK, PitchN).
template <typename Tile>
__device__ __forceinline__ void multiply_warp_tile(
    const float* s_a, const float* s_b,
    float (&r_acc)[Tile::kThreadM][Tile::kThreadN]) {  // (ThreadM, ThreadN)
#pragma unroll
  for (int k = 0; k < Tile::kBlockK; ++k) {
    float r_a[Tile::kThreadM];
    float r_b[Tile::kThreadN];
#pragma unroll
    for (int i = 0; i < Tile::kThreadM; i += 4) {
      read_vector(s_a + k * Tile::kPitchM + i / 4 * Tile::kPieceStepM, &r_a[i]);
    }
#pragma unroll
    for (int j = 0; j < Tile::kThreadN; j += 4) {
      read_vector(s_b + k * Tile::kPitchN + j / 4 * Tile::kPieceStepN, &r_b[j]);
    }
    // There and back again: the first product of a row has the column of the last one before it,
    // which the register file need not read again.
#pragma unroll
    for (int i = 0; i < Tile::kThreadM; ++i) {
#pragma unroll
      for (int step = 0; step < Tile::kThreadN; ++step) {
        const int j = i % 2 == 0 ? step : Tile::kThreadN - 1 - step;
        r_acc[i][j] += r_a[i] * r_b[j];
      }
    }
  }
}

}  // namespace tessera::cuda
