// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

Support supports(const SoftmaxProblem& problem, const DeviceInfo&) {
  return supports_float(problem.dtype);
}

// One row: `axis` elements, `stride` apart. A NaN anywhere makes the sum NaN and so the whole row;
// so does a maximum of +infinity or -infinity (infinity - infinity).
template <typename T>
void softmax_row(const T* src, T* dst, int64_t axis, int64_t stride, bool log) {
  double maximum = -std::numeric_limits<double>::infinity();
  for (int64_t a = 0; a < axis; ++a) maximum = std::max<double>(maximum, src[a * stride]);
  double sum = 0.0;
  for (int64_t a = 0; a < axis; ++a) sum += std::exp(src[a * stride] - maximum);
  for (int64_t a = 0; a < axis; ++a) {
    const double shifted = src[a * stride] - maximum;
    dst[a * stride] = static_cast<T>(log ? shifted - std::log(sum) : std::exp(shifted) / sum);
  }
}

Status launch(const SoftmaxProblem& p, const Operands& operands, Stream&) {
  visit_float(p.dtype, [&]<typename T>(std::type_identity<T>) {
    const T* src = input<T>(operands, SoftmaxProblem::kSrc);
    T* dst = output<T>(operands);
    for (int64_t o = 0; o < p.outer; ++o) {
      for (int64_t i = 0; i < p.inner; ++i) {
        const int64_t row = o * p.axis * p.inner + i;
        softmax_row(src + row, dst + row, p.axis, p.inner, p.log);
      }
    }
  });
  return {};
}

}  // namespace

constinit const KernelEntry reference_softmax =
    stateless_kernel_entry<SoftmaxProblem, supports, launch>(
        "reference_softmax", "maximum, sum of exponentials, quotient: three passes in float64");

}  // namespace tessera::reference
