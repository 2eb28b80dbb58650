// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dtype.h"

namespace tessera {

// Host memory of one operand.
using Bytes = std::vector<std::byte>;

// Values as an array of `dtype`, rounded to it. Requires: a floating-point dtype.
Bytes encode(const std::vector<double>& values, DType dtype);
// Any array as doubles.
std::vector<double> decode(const Bytes& bytes, DType dtype);

// The element of a dtype at `index`, as a double.
double read_element(std::span<const std::byte> memory, DType dtype, int64_t index);

}  // namespace tessera
