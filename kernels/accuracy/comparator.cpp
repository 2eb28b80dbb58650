// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/comparator.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "kernels/accuracy/encoding.h"

namespace tessera {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The same for an infinite `actual` and an expected value that is a number: right where a result
// within the tolerance rounds to that infinity.
double overflow_error(double actual, double expected, double tolerance, double threshold) {
  const double missing = threshold - std::fabs(expected);
  const bool same_sign = std::signbit(actual) == std::signbit(expected);
  if (!same_sign || missing > tolerance || std::isnan(missing)) return kInfinity;
  return missing <= 0.0 ? 0.0 : missing / tolerance;
}

// |actual - expected| / tolerance; infinity where they disagree about NaN or infinity.
double relative_error(double actual, double expected, double tolerance, double threshold) {
  if (std::isnan(expected)) return std::isnan(actual) ? 0.0 : kInfinity;
  if (std::isinf(expected)) return actual == expected ? 0.0 : kInfinity;
  if (std::isinf(actual)) return overflow_error(actual, expected, tolerance, threshold);
  if (std::fabs(expected) - tolerance >= threshold) return kInfinity;
  const double difference = std::fabs(actual - expected);
  if (difference == 0.0) return 0.0;
  if (difference <= tolerance) return difference / tolerance;
  return tolerance > 0.0 && std::isfinite(difference) ? difference / tolerance : kInfinity;
}

std::optional<std::string> check_size(size_t actual_bytes, size_t expected_elements, DType dtype) {
  if (actual_bytes == expected_elements * dtype_size_bytes(dtype)) return std::nullopt;
  std::ostringstream message;
  message << "the result has " << actual_bytes << " bytes instead of " << expected_elements
          << " elements of " << dtype;
  return message.str();
}

}  // namespace

// Half way from the largest number to the power of two above.
double overflow_threshold(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return 65520.0;
    case DType::kF32:
      return std::ldexp(1.0, 128) - std::ldexp(1.0, 103);
    case DType::kBF16:
      return std::ldexp(1.0, 128) - std::ldexp(1.0, 119);
    default:
      return kInfinity;
  }
}

std::string coordinates(int64_t index, const Shape& shape) {
  Shape position = shape;
  for (size_t axis = shape.rank(); axis-- > 0;) {
    position[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return position.to_string();
}

WorstElement find_worst(std::span<const std::byte> actual, DType dtype, const Expected& expected) {
  const double threshold = overflow_threshold(dtype);
  WorstElement worst;
  for (size_t i = 0; i < expected.value.size(); ++i) {
    const double found = read_element(actual, dtype, static_cast<int64_t>(i));
    const double ratio = relative_error(found, expected.value[i], expected.tolerance[i], threshold);
    if (!(ratio <= 1.0)) ++worst.wrong;
    if (i == 0 || ratio > worst.ratio) {
      worst.ratio = ratio;
      worst.index = static_cast<int64_t>(i);
      worst.actual = found;
      worst.expected = expected.value[i];
      worst.tolerance = expected.tolerance[i];
    }
  }
  return worst;
}

std::optional<std::string> compare(std::span<const std::byte> actual, DType dtype,
                                   const Expected& expected, const Shape& shape) {
  const size_t count = expected.value.size();
  if (auto wrong_size = check_size(actual.size(), count, dtype)) return wrong_size;
  const WorstElement worst = find_worst(actual, dtype, expected);
  if (worst.wrong == 0) return std::nullopt;
  std::ostringstream message;
  message.precision(std::numeric_limits<double>::max_digits10);
  message << worst.wrong << " of " << count << " elements differ; worst at "
          << coordinates(worst.index, shape) << ": " << worst.actual << " instead of "
          << worst.expected << ", tolerance " << worst.tolerance << ", error / tolerance "
          << worst.ratio;
  return message.str();
}

std::optional<std::string> compare_exactly(std::span<const std::byte> actual,
                                           std::span<const std::byte> expected, DType dtype,
                                           const Shape& shape) {
  const size_t size = dtype_size_bytes(dtype);
  if (auto wrong_size = check_size(actual.size(), expected.size() / size, dtype)) {
    return wrong_size;
  }
  for (size_t i = 0; i * size < expected.size(); ++i) {
    if (std::memcmp(&actual[i * size], &expected[i * size], size) == 0) continue;
    const auto index = static_cast<int64_t>(i);
    const double found = read_element(actual, dtype, index);
    const double wanted = read_element(expected, dtype, index);
    if (std::isnan(found) && std::isnan(wanted)) continue;
    std::ostringstream message;
    message.precision(std::numeric_limits<double>::max_digits10);
    message << "first difference at " << coordinates(index, shape) << ": " << found
            << " instead of exactly " << wanted;
    return message.str();
  }
  return std::nullopt;
}

}  // namespace tessera
