// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Support supports(const ReduceProblem& problem, const DeviceInfo&) {
  return supports_float(problem.dtype);
}

double first_value(ReduceKind kind) {
  if (kind == ReduceKind::kMax) return -kInfinity;
  if (kind == ReduceKind::kMin) return kInfinity;
  return kind == ReduceKind::kProd ? 1.0 : 0.0;
}

double add(ReduceKind kind, double sum, double x) {
  switch (kind) {
    case ReduceKind::kMax:
      return x > sum || std::isnan(x) ? x : sum;  // nothing is greater than a NaN
    case ReduceKind::kMin:
      return x < sum || std::isnan(x) ? x : sum;
    case ReduceKind::kProd:
      return sum * x;
    case ReduceKind::kL1:
      return sum + std::fabs(x);
    case ReduceKind::kL2:
    case ReduceKind::kSumSquare:
      return sum + x * x;
    default:
      return sum + x;
  }
}

// `axis` elements, `stride` apart.
template <typename T>
double reduce(ReduceKind kind, const T* src, int64_t axis, int64_t stride) {
  double value = first_value(kind);
  for (int64_t a = 0; a < axis; ++a) value = add(kind, value, src[a * stride]);
  if (kind == ReduceKind::kMean) return value / static_cast<double>(axis);
  return kind == ReduceKind::kL2 ? std::sqrt(value) : value;
}

template <typename T>
double log_sum_exp(const T* src, int64_t axis, int64_t stride) {
  const double largest = reduce(ReduceKind::kMax, src, axis, stride);
  const double shift = std::isfinite(largest) ? largest : 0.0;
  double sum = 0.0;
  for (int64_t a = 0; a < axis; ++a) sum += std::exp(src[a * stride] - shift);
  return shift + std::log(sum);
}

Status launch(const ReduceProblem& p, const Operands& operands, Stream&) {
  visit_float(p.dtype, [&]<typename T>(std::type_identity<T>) {
    const T* src = input<T>(operands, ReduceProblem::kSrc);
    T* dst = output<T>(operands);
    for (int64_t o = 0; o < p.outer; ++o) {
      for (int64_t i = 0; i < p.inner; ++i) {
        const T* first = src + o * p.axis * p.inner + i;
        const double value = p.kind == ReduceKind::kLogSumExp
                                 ? log_sum_exp(first, p.axis, p.inner)
                                 : reduce(p.kind, first, p.axis, p.inner);
        dst[o * p.inner + i] = static_cast<T>(value);
      }
    }
  });
  return {};
}

}  // namespace

constinit const KernelEntry reference_reduce =
    stateless_kernel_entry<ReduceProblem, supports, launch>(
        "reference_reduce", "one element after the other in float64");

}  // namespace tessera::reference
