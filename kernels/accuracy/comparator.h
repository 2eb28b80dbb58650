// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/dtype.h"
#include "core/shape.h"

namespace tessera {

// The smallest magnitude that a floating-point dtype rounds to infinity; infinity for other dtypes.
double overflow_threshold(DType dtype);

// What a correct result may be: element i may differ from value[i] by tolerance[i].
struct Expected {
  std::span<const double> value;
  std::span<const double> tolerance;
};

// The element that is furthest off, measured in its own tolerance.
struct WorstElement {
  size_t wrong = 0;  // elements outside their tolerance, over the whole array
  int64_t index = 0;
  double ratio = 0.0;  // |actual - expected| / tolerance; infinite where one of them is NaN alone
  double actual = 0.0;
  double expected = 0.0;
  double tolerance = 0.0;
};

// Requires: `actual` holds as many elements as were expected.
WorstElement find_worst(std::span<const std::byte> actual, DType dtype, const Expected& expected);

// Compares `actual` (memory of elements of a floating-point `dtype`) with what was expected.
// Nothing when all agree, otherwise a message with the worst element. NaN agrees with NaN only,
// an infinity with the same infinity, and with a number where the tolerance reaches what the dtype
// rounds to infinity; -0 agrees with +0.
std::optional<std::string> compare(std::span<const std::byte> actual, DType dtype,
                                   const Expected& expected, const Shape& shape);

// Compares memory byte for byte, except that any NaN of a floating-point dtype agrees with any.
std::optional<std::string> compare_exactly(std::span<const std::byte> actual,
                                           std::span<const std::byte> expected, DType dtype,
                                           const Shape& shape);

// "(1, 0, 3)": the coordinates of a row-major index.
std::string coordinates(int64_t index, const Shape& shape);

}  // namespace tessera
