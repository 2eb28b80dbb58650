// SPDX-License-Identifier: Apache-2.0
// unary: dst[i] = activation(src[i]), one thread per element. dst may be src.
//
//   operands  float32, any count
//   alignment 4 bytes
//   deterministic
#include "kernels/cuda/epilogue.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/elementwise.h"

namespace tessera::cuda {
namespace {

template <ActivationKind kActivation>
__global__ void unary_kernel(const float* src, float* dst, int64_t count, Activation activation) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    dst[i] = activate<kActivation>(src[i], activation);
  }
}

Support supports(const UnaryProblem& problem, const DeviceInfo&) {
  return support_float32(problem.dtype);
}

Status launch_unary(const UnaryProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_activation(problem.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(unary_kernel<kActivation>, elementwise_blocks(problem.count), kElementwiseThreads,
                  0, stream, input<float>(operands, UnaryProblem::kSrc), output<float>(operands),
                  problem.count, problem.activation);
  });
}

}  // namespace

const KernelEntry unary_entry =
    stateless_kernel_entry<UnaryProblem, supports, launch_unary>("unary", "one thread per element");

}  // namespace tessera::cuda
