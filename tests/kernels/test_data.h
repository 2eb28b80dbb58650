// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/accuracy/encoding.h"
#include "kernels/accuracy/problem_operands.h"
#include "kernels/problem/problem.h"

namespace tessera::testing {

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

}  // namespace tessera::testing
