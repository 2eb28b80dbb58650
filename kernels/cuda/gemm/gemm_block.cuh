// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "core/math.h"
#include "kernels/cuda/gemm/gemm_operands.cuh"

// What the tiled GEMM kernels have in common around their loop over K: which tile of D a block
// computes and how a thread stores its part. Tile has kBlockM and kBlockN.

namespace tessera::cuda {

// The tile of D[batch] that begins at row m and column n.
struct BlockPosition {
  int64_t batch, m, n;
};

// Blocks of a launch: one a tile of every matrix of the batch.
template <typename Tile>
int64_t gemm_blocks(const GemmProblem& p) {
  return p.batch() * ceil_div<int64_t>(p.M, Tile::kBlockM) * ceil_div<int64_t>(p.N, Tile::kBlockN);
}

// The tile of this block; neighbouring blocks have neighbouring columns of the same rows. The
// number of blocks fits 31 bits (launch.cuh), hence also the divisors.
template <typename Tile>
__device__ __forceinline__ BlockPosition block_position(const GemmProblem& p) {
  const auto tiles_n = static_cast<uint32_t>(ceil_div<int64_t>(p.N, Tile::kBlockN));
  const auto tiles_m = static_cast<uint32_t>(ceil_div<int64_t>(p.M, Tile::kBlockM));
  const uint32_t row = blockIdx.x / tiles_n;
  return {row / tiles_m, static_cast<int64_t>(row % tiles_m) * Tile::kBlockM,
          static_cast<int64_t>(blockIdx.x % tiles_n) * Tile::kBlockN};
}

// Tile rows per panel. Blocks go down the rows of a panel first and then to the next column, so
// that those running together cover a nearly square part of D.
constexpr uint32_t kPanelRows = 8;

template <typename Tile>
__device__ __forceinline__ BlockPosition panel_position(const GemmProblem& p) {
  const auto tiles_n = static_cast<uint32_t>(ceil_div<int64_t>(p.N, Tile::kBlockN));
  const auto tiles_m = static_cast<uint32_t>(ceil_div<int64_t>(p.M, Tile::kBlockM));
  const uint32_t batch = blockIdx.x / (tiles_m * tiles_n);
  const uint32_t tile = blockIdx.x % (tiles_m * tiles_n);
  const uint32_t first_row = tile / (kPanelRows * tiles_n) * kPanelRows;
  const uint32_t rows_left = tiles_m - first_row;
  const uint32_t rows = rows_left < kPanelRows ? rows_left : kPanelRows;
  const uint32_t in_panel = tile - first_row * tiles_n;
  return {batch, static_cast<int64_t>(first_row + in_panel % rows) * Tile::kBlockM,
          static_cast<int64_t>(in_panel / rows) * Tile::kBlockN};
}

// Stores four neighbouring elements of D from their products x; those outside D are left out. One
// 16-byte store where the address allows it.
template <ActivationKind kActivation>
__device__ __forceinline__ void store_gemm_vector(const GemmProblem& p,
                                                  const GemmOperands<float>& g, int64_t batch,
                                                  int64_t m, int64_t n, const float (&x)[4]) {
  if (m >= p.M) return;
  const int64_t offset = (batch * p.M + m) * p.ldd + n;
  float* g_d = g.d + offset;
  if (n + 4 <= p.N && reinterpret_cast<uintptr_t>(g_d) % sizeof(float4) == 0) {
    float y[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      y[j] = gemm_epilogue<kActivation>(p, g, offset + j, m, n + j, p.alpha * x[j]);
    }
    *reinterpret_cast<float4*>(g_d) = make_float4(y[0], y[1], y[2], y[3]);
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (n + j < p.N) {
      g_d[j] = gemm_epilogue<kActivation>(p, g, offset + j, m, n + j, p.alpha * x[j]);
    }
  }
}

// Stores a thread's results, whose first is at (row0, column0) of the block's tile.
template <ActivationKind kActivation, int kThreadM, int kThreadN>
__device__ __forceinline__ void store_thread_tile(const GemmProblem& p,
                                                  const GemmOperands<float>& g,
                                                  const BlockPosition& block, int row0, int column0,
                                                  const float (&r_acc)[kThreadM][kThreadN]) {
  static_assert(kThreadN % 4 == 0, "stored four at a time");
#pragma unroll
  for (int i = 0; i < kThreadM; ++i) {
#pragma unroll
    for (int j = 0; j < kThreadN; j += 4) {
      const float x[4] = {r_acc[i][j], r_acc[i][j + 1], r_acc[i][j + 2], r_acc[i][j + 3]};
      store_gemm_vector<kActivation>(p, g, block.batch, block.m + row0 + i, block.n + column0 + j,
                                     x);
    }
  }
}

}  // namespace tessera::cuda
