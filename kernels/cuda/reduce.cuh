// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <limits>

namespace tessera::cuda {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;

struct Sum {
  __device__ static constexpr float identity() { return 0.0f; }
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Ignores NaN like fmaxf.
struct Max {
  __device__ static constexpr float identity() { return -std::numeric_limits<float>::infinity(); }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// The reduction over all 32 lanes, in every lane. All lanes must call it. The butterfly gives every
// lane the same bits.
template <typename Op>
__device__ __forceinline__ float warp_reduce(float value, Op op) {
#pragma unroll
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    value = op(value, __shfl_xor_sync(kFullWarp, value, distance));
  }
  return value;
}

// The reduction over the block, in every thread. All kThreads threads must call it; s_partials is
// shared memory that the block uses for nothing else.
template <int kThreads, typename Op>
__device__ __forceinline__ float block_reduce(float value, Op op,
                                              float (&s_partials)[kThreads / kWarpSize]) {
  static_assert(kThreads % kWarpSize == 0, "whole warps: the shuffles name all 32 lanes");
  static_assert(kThreads / kWarpSize <= kWarpSize, "one warp reduces the partial results");
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  value = warp_reduce(value, op);
  __syncthreads();  // an earlier reduction may still be reading s_partials
  if (lane == 0) s_partials[warp] = value;
  __syncthreads();
  value = lane < kThreads / kWarpSize ? s_partials[lane] : Op::identity();
  return warp_reduce(value, op);
}

}  // namespace tessera::cuda
