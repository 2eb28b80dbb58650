// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/conv/conv_operands.cuh"
#include "kernels/cuda/conv/conv_split.h"
#include "kernels/cuda/launch.cuh"

namespace tessera::cuda {
namespace {

__global__ __launch_bounds__(kElementwiseThreads) void conv_split_sum_kernel(
    const __grid_constant__ ConvProblem p, ConvOperands g, const float* __restrict__ partials,
    int splits, int64_t count) {
  const bool channels_last = p.dst_layout == Layout::kNHWC;
  const int64_t area = p.P * p.Q;
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    float sum = 0.0f;
    for (int split = 0; split < splits; ++split) sum += partials[split * count + i];
    const int64_t k = channels_last ? i % p.K : i / area % p.K;
    store_conv_output<kActivationAtRunTime>(p, g, k, i, sum);
  }
}

}  // namespace

Status launch_conv_split_sum(const ConvProblem& problem, const float* partials, int splits,
                             const Operands& operands, Stream& stream) {
  const int64_t count = problem.N * problem.K * problem.P * problem.Q;
  return launch(conv_split_sum_kernel, elementwise_blocks(count), kElementwiseThreads, 0, stream,
                problem, conv_operands(operands), partials, splits, count);
}

}  // namespace tessera::cuda
