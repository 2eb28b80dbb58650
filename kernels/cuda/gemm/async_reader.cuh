// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/cuda/ptx/cp_async.cuh"

// One operand's way from global to shared memory by asynchronous copies, which need no registers
// but cannot transpose.

namespace tessera::cuda {

// A thread's share of the k-tiles (BlockK, BlockX) of an operand, X being M for A and N for B.
// Element (k, x) of the first is at g_tile[k + x * pitch] when kKFastest, else at
// g_tile[k * pitch + x], and goes to s_tile[k][x]. What lies at or beyond x_left is never read and
// becomes zero. With x fastest the copies are vectors of 16 bytes where all of them are aligned;
// everything else is copied element by element. The constructor and copy get the same pitch: kept
// in a kernel's parameters it costs no register.
template <int kThreads, int kBlockX, int kBlockK, int kPitch, bool kKFastest>
class AsyncReader {
 public:
  __device__ __forceinline__ AsyncReader(const float* __restrict__ g_tile, int64_t pitch,
                                         int64_t x_left, float (&s_tile)[kBlockK][kPitch])
      : g_element_(g_tile + (kKFastest ? k0() + x0() * pitch : k0() * pitch + x0())),
        s_element_(&s_tile[k0()][x0()]),
        x_left_(x_left < kBlockX ? static_cast<int>(x_left) : kBlockX),
        vectors_(!kKFastest && pitch % 4 == 0 &&
                 reinterpret_cast<uintptr_t>(g_tile) % sizeof(float4) == 0) {}

  // Whether every k-tile of kBlockK elements along k is inside and can be copied as a whole; the
  // same for all threads of a block.
  [[nodiscard]] __device__ __forceinline__ bool whole() const {
    return x_left_ == kBlockX && (kKFastest || vectors_);
  }

  // Begins to copy the next k-tile, of which k_inside elements along k exist. Requires for kWhole:
  // whole(), and all of them exist.
  template <bool kWhole>
  __device__ __forceinline__ void copy(int64_t pitch, int k_inside = kBlockK) {
    if constexpr (kWhole) {
      copy_whole(kStep * pitch);
    } else {
      copy_edge(kStep * pitch, k_inside);
    }
    g_element_ += kKFastest ? kBlockK : kBlockK * pitch;
  }

  // Makes the next copy go to a tile that begins this many elements further.
  __device__ __forceinline__ void move_target(int elements) { s_element_ += elements; }

 private:
  static constexpr int kWidth = kKFastest ? 1 : 4;  // elements of one pass of one thread
  static constexpr int kPasses = kBlockX * kBlockK / kWidth / kThreads;
  static constexpr int kThreadsFastest = (kKFastest ? kBlockK : kBlockX) / kWidth;
  // From one pass to the next, along x where k is fastest, else along k.
  static constexpr int kStep = kThreads / kThreadsFastest;
  static constexpr int kSharedStep = kKFastest ? kStep : kStep * kPitch;
  static_assert(kBlockX % 4 == 0 && kPitch % 4 == 0, "16-byte vectors along x");
  static_assert(kBlockX * kBlockK % (kWidth * kThreads) == 0, "every thread copies equally much");
  static_assert(kThreads % kThreadsFastest == 0, "a thread keeps its k or its x");

  // The place in the tile of what a thread copies first.
  __device__ __forceinline__ static int k0() {
    return kKFastest ? threadIdx.x % kThreadsFastest : threadIdx.x / kThreadsFastest;
  }
  __device__ __forceinline__ static int x0() {
    return kKFastest ? threadIdx.x / kThreadsFastest : threadIdx.x % kThreadsFastest * kWidth;
  }

  __device__ __forceinline__ void copy_whole(int64_t g_step) const {
    const float* g_src = g_element_;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      cp_async<kWidth * 4>(s_element_ + pass * kSharedStep, g_src);
      g_src += g_step;
    }
  }

  // What lies outside becomes zero. Not unrolled: the code of the whole tiles stays together.
  __device__ __forceinline__ void copy_edge(int64_t g_step, int k_inside) const {
#pragma unroll 1
    for (int pass = 0; pass < kPasses; ++pass) {
      const int k = kKFastest ? k0() : k0() + pass * kStep;
      const int x = kKFastest ? x0() + pass * kStep : x0();
      const int inside = k < k_inside ? min(max(x_left_ - x, 0), kWidth) : 0;
      const float* g_src = g_element_ + pass * g_step;
      float* s_dst = s_element_ + pass * kSharedStep;
      if (vectors_) {
        cp_async<16>(s_dst, g_src, inside * 4);
        continue;
      }
#pragma unroll
      for (int j = 0; j < kWidth; ++j) cp_async<4>(s_dst + j, g_src + j, j < inside ? 4 : 0);
    }
  }

  const float* g_element_;
  float* s_element_;
  int x_left_;
  bool vectors_;
};

}  // namespace tessera::cuda
