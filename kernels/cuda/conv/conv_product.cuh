// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/cuda/gemm/warp_tile.cuh"
#include "kernels/cuda/ptx/cp_async.cuh"

// A block's tile of a matrix product whose left operand, the weights, is packed k-major and padded
// to whole tiles, and whose right operand comes from an object that copies k-tiles of it.

namespace tessera::cuda {

constexpr int kConvStages = 4;

// Stages of the operands while the product runs; then the results of one piece of every thread at a
// time, on their way to coalesced stores.
template <typename Tile>
union SharedTiles {
  static constexpr int kPieceRows = Tile::kBlockM / Tile::kWarpM * Tile::kPieceStepM;
  struct {
    float weights[kConvStages][Tile::kBlockK][Tile::kPitchM];  // (Stages, BlockK, BlockM)
    float columns[kConvStages][Tile::kBlockK][Tile::kPitchN];  // (Stages, BlockK, BlockN)
  } stages;
  float results[kPieceRows][Tile::kPitchN];  // (PieceRows, BlockN)
};

// r_acc += weights (BlockM, k_tiles * BlockK) * columns (k_tiles * BlockK, BlockN), this thread's
// part. Element (k, m) of the weights is at g_weights[k * pitch + m], aligned to 16 bytes;
// columns.copy(s_tile) begins to copy the next k-tile (BlockK, BlockN).
template <typename Tile, typename Columns>
__device__ __forceinline__ void multiply_k_tiles(const float* __restrict__ g_weights, int64_t pitch,
                                                 int k_tiles, Columns& columns,
                                                 ThreadPosition thread, SharedTiles<Tile>& s_tiles,
                                                 float (&r_acc)[Tile::kThreadM][Tile::kThreadN]) {
  constexpr int kVectorsM = Tile::kBlockM / 4;
  static_assert(kVectorsM * Tile::kBlockK == Tile::kThreads, "one vector of weights per thread");
  const int weight_k = threadIdx.x / kVectorsM;
  const int weight_m = threadIdx.x % kVectorsM * 4;
  const int64_t weight_step = Tile::kBlockK * pitch;
  const float* g_vector = g_weights + weight_k * pitch + weight_m;

  // One group of copies per k-tile, empty after the last.
  const auto copy_k_tile = [&](int tile, int stage) {
    if (tile < k_tiles) {
      cp_async<16>(&s_tiles.stages.weights[stage][weight_k][weight_m], g_vector, 16);
      g_vector += weight_step;
      columns.copy(s_tiles.stages.columns[stage]);
    }
    cp_async_commit();
  };
  constexpr int kAhead = kConvStages - 1;
  for (int i = 0; i < kAhead; ++i) copy_k_tile(i, i);
  int stage = 0;
  for (int tile = 0; tile < k_tiles; ++tile) {
    cp_async_wait<kAhead - 1>();
    __syncthreads();  // this k-tile is there for all threads, and all have read the one before
    copy_k_tile(tile + kAhead, (stage + kAhead) % kConvStages);
    multiply_warp_tile<Tile>(&s_tiles.stages.weights[stage][0][thread.row],
                             &s_tiles.stages.columns[stage][0][thread.column], r_acc);
    stage = (stage + 1) % kConvStages;
  }
  cp_async_wait<0>();
}

}  // namespace tessera::cuda
