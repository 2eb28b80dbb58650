// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/conv/conv_operands.cuh"
#include "kernels/cuda/conv/conv_pack.h"
#include "kernels/cuda/launch.cuh"

namespace tessera::cuda {
namespace {

// Where row k of the packed weights lies in (C / groups, R, S), or -1 for a row of zeros.
__device__ __forceinline__ int64_t weight_of_row(const ConvProblem& p, const ConvPacking& packing,
                                                 int64_t k) {
  if (k >= conv_reduction(p)) return -1;
  if (packing.channel_block == 0) return k;
  const int64_t taps = p.R * p.S;
  const int64_t tile = k / packing.channel_block;
  const int64_t c = tile / taps * packing.channel_block + k % packing.channel_block;
  return c * taps + tile % taps;
}

__global__ __launch_bounds__(kElementwiseThreads) void conv_pack_kernel(
    const __grid_constant__ ConvProblem p, ConvPacking packing, const float* __restrict__ g_weights,
    float* __restrict__ g_packed, int64_t count) {
  const int64_t group_k = p.K / p.groups;
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t m = i % packing.pitch;
    const int64_t row = i / packing.pitch;
    const int64_t weight = weight_of_row(p, packing, row % packing.rows);
    const int64_t k = row / packing.rows * group_k + m;
    const bool exists = weight >= 0 && m < group_k;
    g_packed[i] = exists ? g_weights[k * conv_reduction(p) + weight] : 0.0f;
  }
}

}  // namespace

Status launch_conv_pack(const ConvProblem& problem, const ConvPacking& packing,
                        const float* weights, float* packed, Stream& stream) {
  const int64_t count = problem.groups * packing.rows * packing.pitch;
  return launch(conv_pack_kernel, elementwise_blocks(count), kElementwiseThreads, 0, stream,
                problem, packing, weights, packed, count);
}

}  // namespace tessera::cuda
