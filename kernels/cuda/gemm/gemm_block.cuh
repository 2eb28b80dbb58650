// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "core/math.h"
#include "kernels/cuda/gemm/gemm_operands.cuh"

// Which tile of D a block of a tiled GEMM kernel computes. Tile has kBlockM and kBlockN.

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

// Of the index-th block in this order.
template <typename Tile>
__device__ __forceinline__ BlockPosition panel_position(const GemmProblem& p, uint32_t index) {
  const auto tiles_n = static_cast<uint32_t>(ceil_div<int64_t>(p.N, Tile::kBlockN));
  const auto tiles_m = static_cast<uint32_t>(ceil_div<int64_t>(p.M, Tile::kBlockM));
  const uint32_t batch = index / (tiles_m * tiles_n);
  const uint32_t tile = index % (tiles_m * tiles_n);
  const uint32_t first_row = tile / (kPanelRows * tiles_n) * kPanelRows;
  const uint32_t rows_left = tiles_m - first_row;
  const uint32_t rows = rows_left < kPanelRows ? rows_left : kPanelRows;
  const uint32_t in_panel = tile - first_row * tiles_n;
  return {batch, static_cast<int64_t>(first_row + in_panel % rows) * Tile::kBlockM,
          static_cast<int64_t>(in_panel / rows) * Tile::kBlockN};
}
template <typename Tile>
__device__ __forceinline__ BlockPosition panel_position(const GemmProblem& p) {
  return panel_position<Tile>(p, blockIdx.x);
}

}  // namespace tessera::cuda
