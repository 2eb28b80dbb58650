// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

// A block's tile of a matrix product through shared memory, each thread with a tile of results in
// registers: the part that GEMM and convolution as implicit GEMM have in common.

namespace tessera::cuda {

// Tile (BlockM, BlockN) of D a block, k-tiles of BlockK; a thread has (ThreadM, ThreadN) of it.
template <int BlockM, int BlockN, int BlockK, int ThreadM, int ThreadN>
struct ThreadTile {
  static constexpr int kBlockM = BlockM;
  static constexpr int kBlockN = BlockN;
  static constexpr int kBlockK = BlockK;
  static constexpr int kThreadM = ThreadM;
  static constexpr int kThreadN = ThreadN;
  static constexpr int kThreadsN = BlockN / ThreadN;
  static constexpr int kThreads = BlockM / ThreadM * kThreadsN;
  // Keeps the rows of the shared tiles aligned for 16-byte reads and spreads the writes of a tile
  // that arrives with k fastest over the banks.
  static constexpr int kPad = 4;
  static constexpr int kPitchM = BlockM + kPad;
  static constexpr int kPitchN = BlockN + kPad;

  static_assert(BlockM % ThreadM == 0 && BlockN % ThreadN == 0, "threads tile the block evenly");
  static_assert(kThreads % 32 == 0 && kThreads <= 1024, "whole warps, at most a block of them");
  static_assert(BlockM * BlockK % kThreads == 0 && BlockN * BlockK % kThreads == 0,
                "every thread copies equally many elements of each k-tile");
  static_assert(ThreadM % 4 == 0 && ThreadN % 4 == 0 && kPitchM % 4 == 0 && kPitchN % 4 == 0,
                "a thread reads its rows and columns as 16-byte vectors");
  static_assert((kPitchM + kPitchN) * BlockK * 4 <= 48 * 1024, "static shared memory");
};

// Copies a tile into s_tile (BlockK, BlockX). Its element (k, x) is at
// g_tile[x * stride_x + k * stride_k]; what lies at or beyond x_left or k_left becomes zero.
// Neighbouring threads read neighbouring addresses: along k where k is contiguous, else along x.
template <int kThreads, int kBlockX, int kBlockK, int kPitch>
__device__ __forceinline__ void load_tile(const float* __restrict__ g_tile, int64_t stride_x,
                                          int64_t stride_k, int64_t x_left, int64_t k_left,
                                          float (&s_tile)[kBlockK][kPitch]) {
  static_assert(kThreads % kBlockX == 0 && kThreads % kBlockK == 0,
                "a thread keeps its k or its x from one pass to the next");
  const bool k_fastest = stride_k == 1;
  const int thread = threadIdx.x;
  const int k0 = k_fastest ? thread % kBlockK : thread / kBlockX;
  const int x0 = k_fastest ? thread / kBlockK : thread % kBlockX;
  const int k_step = k_fastest ? 0 : kThreads / kBlockX;
  const int x_step = k_fastest ? kThreads / kBlockK : 0;
  const float* g_element = g_tile + x0 * stride_x + k0 * stride_k;
  const int64_t step = x_step * stride_x + k_step * stride_k;
#pragma unroll
  for (int pass = 0; pass < kBlockX * kBlockK / kThreads; ++pass) {
    const int k = k0 + pass * k_step;
    const int x = x0 + pass * x_step;
    const bool inside = x < x_left && k < k_left;
    s_tile[k][x] = inside ? g_element[pass * step] : 0.0f;
  }
}

// r_acc += (rows of this thread in s_a) * (columns of this thread in s_b) over one k-tile. The
// thread's first row and column in the tile are row0 and column0.
template <typename Tile>
__device__ __forceinline__ void multiply_tile(
    const float (&s_a)[Tile::kBlockK][Tile::kPitchM],  // (BlockK, BlockM)
    const float (&s_b)[Tile::kBlockK][Tile::kPitchN],  // (BlockK, BlockN)
    int row0, int column0,
    float (&r_acc)[Tile::kThreadM][Tile::kThreadN]) {  // (ThreadM, ThreadN)
#pragma unroll
  for (int k = 0; k < Tile::kBlockK; ++k) {
    float r_a[Tile::kThreadM];
    float r_b[Tile::kThreadN];
#pragma unroll
    for (int i = 0; i < Tile::kThreadM; ++i) r_a[i] = s_a[k][row0 + i];
#pragma unroll
    for (int j = 0; j < Tile::kThreadN; ++j) r_b[j] = s_b[k][column0 + j];
#pragma unroll
    for (int i = 0; i < Tile::kThreadM; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kThreadN; ++j) r_acc[i][j] += r_a[i] * r_b[j];
    }
  }
}

}  // namespace tessera::cuda
