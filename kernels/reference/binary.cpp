// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

Support supports(const BinaryProblem& problem, const DeviceInfo&) {
  if (dtype_is_integer(problem.dtype)) return Support::yes();
  return supports_float(problem.dtype);
}

// In T itself: an IEEE operation on two floats is already the nearest result.
// A sum, product or quotient of 16-bit floats rounded to float32 and then to 16 bits is as if it
// had been rounded once (Figueroa, When is Double Rounding Innocuous?, 1995).
template <typename T>
requires(!std::is_integral_v<T>) T apply(BinaryKind kind, T a, T b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return static_cast<T>(a + b);
    case BinaryKind::kSub:
      return static_cast<T>(a - b);
    case BinaryKind::kMul:
      return static_cast<T>(a * b);
    case BinaryKind::kDiv:
      return static_cast<T>(a / b);
  }
  return T{};
}

// Modulo 2^bits, computed in uint64_t, where overflow is defined.
template <typename T>
requires std::is_integral_v<T> T apply(BinaryKind kind, T a, T b) {
  const auto wide_a = static_cast<uint64_t>(a);
  const auto wide_b = static_cast<uint64_t>(b);
  switch (kind) {
    case BinaryKind::kAdd:
      return static_cast<T>(wide_a + wide_b);
    case BinaryKind::kSub:
      return static_cast<T>(wide_a - wide_b);
    case BinaryKind::kMul:
      return static_cast<T>(wide_a * wide_b);
    case BinaryKind::kDiv:
      break;
  }
  if (b == 0) return T{};
  // The smallest integer divided by -1 overflows; negation modulo 2^bits gives it back.
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - wide_a);
  return static_cast<T>(a / b);
}

template <typename T>
void binary(const BinaryProblem& problem, const Operands& operands) {
  const T* a = input<T>(operands, BinaryProblem::kA);
  const T* b = input<T>(operands, BinaryProblem::kB);
  T* dst = output<T>(operands);
  const int64_t count = problem.count();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    int64_t offset_a = 0;
    int64_t offset_b = 0;
    for (int d = problem.rank; d-- > 0;) {
      const int64_t index = rest % problem.extent[d];
      rest /= problem.extent[d];
      offset_a += index * problem.stride_a[d];
      offset_b += index * problem.stride_b[d];
    }
    dst[i] = apply<T>(problem.kind, a[offset_a], b[offset_b]);
  }
}

Status launch(const BinaryProblem& problem, const Operands& operands, Stream&) {
  visit_number(problem.dtype,
               [&]<typename T>(std::type_identity<T>) { binary<T>(problem, operands); });
  return {};
}

}  // namespace

constinit const KernelEntry reference_binary =
    stateless_kernel_entry<BinaryProblem, supports, launch>(
        "reference_binary", "element by element, floats and integers, with broadcasting");

}  // namespace tessera::reference
