// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

Support supports(const CastProblem&, const DeviceInfo&) { return Support::yes(); }

// An element as a C++ number: exact.
template <typename T>
T to_number(T value) {
  return value;
}
float to_number(Float16 value) { return value; }
float to_number(BFloat16 value) { return value; }
uint8_t to_number(Bool value) { return value.byte != 0 ? 1 : 0; }

// A float as the integer type To: fractions are cut off, what is out of range saturates, NaN gives
// 0. An integer wraps, which is what the conversion of C++20 does.
template <typename To, typename From>
To to_integer(From value) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_floating_point_v<From>) {
    if (std::isnan(value)) return 0;
    // 2^digits, one more than the largest integer, is exact in every float type.
    const From end = std::ldexp(From{1}, Limits::digits);
    if (value >= end) return Limits::max();
    if (value <= (std::is_signed_v<To> ? -end : From{0})) return Limits::min();
  }
  return static_cast<To>(value);
}

// To 16-bit floats from anything through float32, which is what processors offer: a float64 can
// round twice.
template <typename To, typename From>
To from_number(From value) {
  if constexpr (std::is_same_v<To, Bool>) {
    return {static_cast<uint8_t>(value != 0 ? 1 : 0)};
  } else if constexpr (std::is_integral_v<To>) {
    return to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

Status launch(const CastProblem& problem, const Operands& operands, Stream&) {
  visit_element(problem.from, [&]<typename From>(std::type_identity<From>) {
    visit_element(problem.to, [&]<typename To>(std::type_identity<To>) {
      const From* src = input<From>(operands, CastProblem::kSrc);
      To* dst = output<To>(operands);
      for (int64_t i = 0; i < problem.count; ++i) dst[i] = from_number<To>(to_number(src[i]));
    });
  });
  return {};
}

}  // namespace

constinit const KernelEntry reference_cast = stateless_kernel_entry<CastProblem, supports, launch>(
    "reference_cast", "every pair of types; floats saturate to integers, integers wrap");

}  // namespace tessera::reference
