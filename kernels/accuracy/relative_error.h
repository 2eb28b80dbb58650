// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/accuracy/encoding.h"

namespace tessera {

// How far a result is off, in units of the result as a whole: an element that cancels to almost
// nothing says nothing about a kernel, and divided by its own size its error has no limit.
struct RelativeError {
  double max = 0.0;   // largest |actual - expected| / largest |expected|
  double mean = 0.0;  // mean |actual - expected| / mean |expected|
};

// `expected` has the float64 value of each element of `actual`. Infinite where one of them is NaN
// or infinite and the other is not the same; 0 where all agree.
RelativeError relative_error(const Bytes& actual, DType dtype, std::span<const double> expected);

}  // namespace tessera
