// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/activation.h"
#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

Support supports(const UnaryProblem& problem, const DeviceInfo&) {
  return supports_float(problem.dtype);
}

Status launch(const UnaryProblem& problem, const Operands& operands, Stream&) {
  visit_float(problem.dtype, [&]<typename T>(std::type_identity<T>) {
    const T* src = input<T>(operands, UnaryProblem::kSrc);
    T* dst = output<T>(operands);
    for (int64_t i = 0; i < problem.count; ++i) {
      dst[i] = static_cast<T>(apply_activation(problem.activation, src[i]));
    }
  });
  return {};
}

}  // namespace

constinit const KernelEntry reference_unary =
    stateless_kernel_entry<UnaryProblem, supports, launch>(
        "reference_unary", "the activation of each element in float64");

}  // namespace tessera::reference
