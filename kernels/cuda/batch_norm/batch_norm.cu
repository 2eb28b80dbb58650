// SPDX-License-Identifier: Apache-2.0
// batch_norm: dst[n, c, i] = (src[n, c, i] - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] +
// bias[c], one thread per element.
//
//   operands  float32, row-major (N, C, inner), parameters (C)
//   alignment 4 bytes
//   deterministic
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/batch_norm.h"

namespace tessera::cuda {
namespace {

struct BatchNormOperands {
  const float* src;
  const float* scale;
  const float* bias;
  const float* mean;
  const float* variance;
  float* dst;
};

__global__ void batch_norm_kernel(BatchNormOperands g, int64_t C, int64_t inner, float epsilon,
                                  int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t c = i / inner % C;
    const float deviation = sqrtf(g.variance[c] + epsilon);
    g.dst[i] = (g.src[i] - g.mean[c]) / deviation * g.scale[c] + g.bias[c];
  }
}

Support supports(const BatchNormProblem& problem, const DeviceInfo&) {
  return support_float32(problem.dtype);
}

Status launch_batch_norm(const BatchNormProblem& problem, const Operands& operands,
                         Stream& stream) {
  const BatchNormOperands g = {
      input<float>(operands, BatchNormProblem::kSrc),
      input<float>(operands, BatchNormProblem::kScale),
      input<float>(operands, BatchNormProblem::kBias),
      input<float>(operands, BatchNormProblem::kMean),
      input<float>(operands, BatchNormProblem::kVariance),
      output<float>(operands),
  };
  const int64_t count = problem.N * problem.C * problem.inner;
  return launch(batch_norm_kernel, elementwise_blocks(count), kElementwiseThreads, 0, stream, g,
                problem.C, problem.inner, problem.epsilon, count);
}

}  // namespace

const KernelEntry batch_norm_entry =
    stateless_kernel_entry<BatchNormProblem, supports, launch_batch_norm>("batch_norm",
                                                                          "one thread per element");

}  // namespace tessera::cuda
