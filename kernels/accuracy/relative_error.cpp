// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/relative_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

RelativeError relative_error(const Bytes& actual, DType dtype, std::span<const double> expected) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double largest_difference = 0.0;
  double largest = 0.0;
  double differences = 0.0;
  double magnitudes = 0.0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double found = read_element(actual, dtype, static_cast<int64_t>(i));
    const bool same = found == expected[i] || (std::isnan(found) && std::isnan(expected[i]));
    if (!std::isfinite(found) || !std::isfinite(expected[i])) {
      if (!same) return {kInfinity, kInfinity};
      continue;
    }
    const double difference = std::fabs(found - expected[i]);
    largest_difference = std::max(largest_difference, difference);
    largest = std::max(largest, std::fabs(expected[i]));
    differences += difference;
    magnitudes += std::fabs(expected[i]);
  }
  if (largest_difference == 0.0) return {};
  if (largest == 0.0) return {kInfinity, kInfinity};
  return {largest_difference / largest, differences / magnitudes};
}

}  // namespace tessera
