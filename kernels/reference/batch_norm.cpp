// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

Support supports(const BatchNormProblem& problem, const DeviceInfo&) {
  return supports_float(problem.dtype);
}

template <typename T>
void batch_norm(const BatchNormProblem& problem, const Operands& operands) {
  const T* src = input<T>(operands, BatchNormProblem::kSrc);
  const T* scale = input<T>(operands, BatchNormProblem::kScale);
  const T* bias = input<T>(operands, BatchNormProblem::kBias);
  const T* mean = input<T>(operands, BatchNormProblem::kMean);
  const T* variance = input<T>(operands, BatchNormProblem::kVariance);
  T* dst = output<T>(operands);
  for (int64_t n = 0; n < problem.N; ++n) {
    for (int64_t c = 0; c < problem.C; ++c) {
      const double deviation = std::sqrt(double{variance[c]} + double{problem.epsilon});
      for (int64_t i = 0; i < problem.inner; ++i) {
        const int64_t at = (n * problem.C + c) * problem.inner + i;
        const double normalized = (double{src[at]} - double{mean[c]}) / deviation;
        dst[at] = static_cast<T>(normalized * scale[c] + bias[c]);
      }
    }
  }
}

Status launch(const BatchNormProblem& problem, const Operands& operands, Stream&) {
  visit_float(problem.dtype,
              [&]<typename T>(std::type_identity<T>) { batch_norm<T>(problem, operands); });
  return {};
}

}  // namespace

constinit const KernelEntry reference_batch_norm =
    stateless_kernel_entry<BatchNormProblem, supports, launch>(
        "reference_batch_norm", "the formula for each element in float64");

}  // namespace tessera::reference
