// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

// One operand's way from global to shared memory through registers, 16 bytes at a time, in two
// steps: between fetch and store a kernel can compute, while the loads are under way.

namespace tessera::cuda {

// A thread's share of the k-tiles (BlockK, BlockX) of an operand, X being M for A and N for B.
// Element (k, x) of the first is at g_tile[x * stride_x + k * stride_k], and one of the strides is
// 1. What lies at or beyond x_left or k_left is never read and becomes zero. Any alignment and
// strides: 16-byte loads are used where the whole vector is inside and aligned, else scalars.
template <int kThreads, int kBlockX, int kBlockK>
class TileReader {
 public:
  __device__ __forceinline__ TileReader(const float* __restrict__ g_tile, int64_t stride_x,
                                        int64_t stride_k, int64_t x_left)
      : k_fastest_(stride_k == 1) {
    const int64_t pitch = k_fastest_ ? stride_x : stride_k;
    aligned_ = reinterpret_cast<uintptr_t>(g_tile) % sizeof(float4) == 0 && pitch % 4 == 0;
    x_left_ = x_left < kBlockX ? static_cast<int>(x_left) : kBlockX;
    const int thread = threadIdx.x;
    k0_ = k_fastest_ ? thread % kVectorsK * 4 : thread / kVectorsX;
    x0_ = k_fastest_ ? thread / kVectorsK : thread % kVectorsX * 4;
    g_vector_ = g_tile + x0_ * stride_x + k0_ * stride_k;
    pass_step_ = (k_fastest_ ? kThreads / kVectorsK : kThreads / kVectorsX) * pitch;
    tile_step_ = kBlockK * stride_k;
  }

  // Begins to load this thread's vectors of the next k-tile into registers. k_left elements
  // along k are left, this tile included.
  __device__ __forceinline__ void fetch(int64_t k_left) {
    const int k_inside = k_left < kBlockK ? static_cast<int>(k_left) : kBlockK;
    // The same for the whole block, so that inner tiles cost no test per vector.
    if (aligned_ && x_left_ == kBlockX && k_inside == kBlockK) {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        r_vector_[pass] = *reinterpret_cast<const float4*>(g_vector_ + pass * pass_step_);
      }
    } else {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        r_vector_[pass] = load_edge(g_vector_ + pass * pass_step_, inside(pass, k_inside));
      }
    }
    g_vector_ += tile_step_;
  }

  // Writes what fetch has loaded to s_tile (BlockK, BlockX), transposed where k is contiguous.
  template <int kPitch>
  __device__ __forceinline__ void store(float (&s_tile)[kBlockK][kPitch]) const {
    static_assert(kPitch % 4 == 0, "vectors along x are stored as 16 bytes");
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const float4 v = r_vector_[pass];
      if (k_fastest_) {
        const int x = x0_ + pass * (kThreads / kVectorsK);
        s_tile[k0_][x] = v.x;
        s_tile[k0_ + 1][x] = v.y;
        s_tile[k0_ + 2][x] = v.z;
        s_tile[k0_ + 3][x] = v.w;
      } else {
        const int k = k0_ + pass * (kThreads / kVectorsX);
        *reinterpret_cast<float4*>(&s_tile[k][x0_]) = v;
      }
    }
  }

 private:
  static constexpr int kVectorsX = kBlockX / 4;
  static constexpr int kVectorsK = kBlockK / 4;
  static constexpr int kPasses = kBlockX * kBlockK / 4 / kThreads;
  static_assert(kBlockX % 4 == 0 && kBlockK % 4 == 0, "16-byte vectors along x and along k");
  static_assert(kBlockX * kBlockK % (4 * kThreads) == 0, "every thread has equally many vectors");
  static_assert(kThreads % kVectorsX == 0 && kThreads % kVectorsK == 0,
                "a thread keeps its k or its x from one pass to the next");

  // How many elements of the vector of this pass exist, from its first on: a negative number or
  // more than 4 mean none or all.
  __device__ __forceinline__ int inside(int pass, int k_inside) const {
    if (k_fastest_) {
      return x0_ + pass * (kThreads / kVectorsK) < x_left_ ? k_inside - k0_ : 0;
    }
    return k0_ + pass * (kThreads / kVectorsX) < k_inside ? x_left_ - x0_ : 0;
  }

  __device__ __forceinline__ float4 load_edge(const float* g_vector, int count) const {
    if (aligned_ && count >= 4) return *reinterpret_cast<const float4*>(g_vector);
    return make_float4(count > 0 ? g_vector[0] : 0.0f, count > 1 ? g_vector[1] : 0.0f,
                       count > 2 ? g_vector[2] : 0.0f, count > 3 ? g_vector[3] : 0.0f);
  }

  bool k_fastest_;
  bool aligned_;
  int k0_, x0_;  // the first vector's place in the tile
  int x_left_;
  const float* g_vector_;
  int64_t pass_step_, tile_step_;
  float4 r_vector_[kPasses];
};

}  // namespace tessera::cuda
