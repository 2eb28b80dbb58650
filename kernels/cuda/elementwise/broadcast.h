// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/problem/elementwise.h"

namespace tessera::cuda {

// The same problem with as few axes as possible: axes of extent 1 are dropped and neighbours along
// which both operands go on without a gap, or are both broadcast, become one. Equal shapes come
// down to rank 1 with strides 1, a number and a tensor to rank 1 with strides 0 and 1, a value per
// channel to rank 3. Requires: no extent is 0.
BinaryProblem collapse(const BinaryProblem& problem);

// One past the last element of an operand with these strides that takes part.
int64_t operand_span(const BinaryProblem& problem,
                     const std::array<int64_t, BinaryProblem::kMaxRank>& strides);

}  // namespace tessera::cuda
