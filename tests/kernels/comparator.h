// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/dtype.h"
#include "core/shape.h"

namespace tessera::testing {

// What a correct result may be: element i may differ from value[i] by tolerance[i].
struct Expected {
  std::span<const double> value;
  std::span<const double> tolerance;
};

// Compares `actual` (memory of elements of a floating-point `dtype`) with what was expected.
// Nothing when all agree, otherwise a message with the worst element. NaN agrees with NaN only,
// an infinity with the same infinity only (a value beyond the dtype's largest counts as infinite),
// -0 with +0.
std::optional<std::string> compare(std::span<const std::byte> actual, DType dtype,
                                   const Expected& expected, const Shape& shape);

// Compares memory byte for byte, except that any NaN of a floating-point dtype agrees with any.
std::optional<std::string> compare_exactly(std::span<const std::byte> actual,
                                           std::span<const std::byte> expected, DType dtype,
                                           const Shape& shape);

// The element of a dtype at `index`, as a double.
double read_element(std::span<const std::byte> memory, DType dtype, int64_t index);

// "(1, 0, 3)": the coordinates of a row-major index.
std::string coordinates(int64_t index, const Shape& shape);

}  // namespace tessera::testing
