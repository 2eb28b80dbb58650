// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace tessera {

// Smallest q with q * divisor >= value. Requires: value >= 0, divisor > 0.
template <typename T>
constexpr T ceil_div(T value, T divisor) {
  return (value + divisor - 1) / divisor;
}

// Smallest multiple of `multiple` that is >= value. Requires: value >= 0, multiple > 0.
template <typename T>
constexpr T round_up(T value, T multiple) {
  return ceil_div(value, multiple) * multiple;
}

// a * b, or nothing when it does not fit. Requires: a >= 0, b >= 0.
constexpr std::optional<int64_t> checked_multiply(int64_t a, int64_t b) {
  if (a != 0 && b > std::numeric_limits<int64_t>::max() / a) return std::nullopt;
  return a * b;
}

// a + b, or nothing when it does not fit. Requires: a >= 0, b >= 0.
constexpr std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  if (b > std::numeric_limits<int64_t>::max() - a) return std::nullopt;
  return a + b;
}

}  // namespace tessera
