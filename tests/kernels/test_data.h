// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/problem/problem.h"
#include "tests/kernels/problem_operands.h"

namespace tessera::testing {

// Host memory of one operand.
using Bytes = std::vector<std::byte>;

// What the operands hold. Each shows mistakes that the others hide.
enum class DataSet {
  kUniform,     // [-1, 1): everything alike
  kPeaky,       // mostly small, a few large: a lost element shows
  kCancelling,  // large values of alternating sign: lost precision shows
  kSpecial,     // NaN, infinities, zeros, limits: lost rules show
};
constexpr DataSet kDataSets[] = {DataSet::kUniform, DataSet::kPeaky, DataSet::kCancelling,
                                 DataSet::kSpecial};

const char* data_set_name(DataSet data_set);

// The inputs of a problem, the same in every run: seeded from the problem's text. Operands that are
// not present are empty.
std::vector<Bytes> make_inputs(const Problem& problem, DataSet data_set);

// Values as an array of `dtype`, rounded to it. Requires: a floating-point dtype.
Bytes encode(const std::vector<double>& values, DType dtype);
// Any array as doubles.
std::vector<double> decode(const Bytes& bytes, DType dtype);

}  // namespace tessera::testing
