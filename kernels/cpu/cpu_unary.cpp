// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/activation.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

Support supports(const UnaryProblem& problem, const DeviceInfo&) {
  return supports_f32(problem.dtype);
}

Status launch(const UnaryProblem& problem, const Operands& operands, Stream&) {
  const auto* src = static_cast<const float*>(operands.inputs[UnaryProblem::kSrc]);
  auto* dst = static_cast<float*>(operands.output);
  parallel_for(problem.count, kParallelElements, [&](int64_t begin, int64_t end) {
    with_activation(problem.activation, [&](auto function) {
      for (int64_t i = begin; i < end; ++i) dst[i] = function(src[i]);
    });
  });
  return {};
}

}  // namespace

constinit const KernelEntry cpu_unary = stateless_kernel_entry<UnaryProblem, supports, launch>(
    "cpu_unary", "own loops, in which ReLU and clip keep NaN");

}  // namespace tessera::cpu
