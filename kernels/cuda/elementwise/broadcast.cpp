// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/elementwise/broadcast.h"

namespace tessera::cuda {

BinaryProblem collapse(const BinaryProblem& problem) {
  BinaryProblem collapsed = problem;
  collapsed.rank = 0;
  collapsed.extent = {};
  collapsed.stride_a = {};
  collapsed.stride_b = {};
  for (int axis = 0; axis < problem.rank; ++axis) {
    const int64_t extent = problem.extent[axis];
    if (extent == 1) continue;
    const int last = collapsed.rank - 1;
    const bool continues = last >= 0 &&
                           collapsed.stride_a[last] == problem.stride_a[axis] * extent &&
                           collapsed.stride_b[last] == problem.stride_b[axis] * extent;
    const int target = continues ? last : collapsed.rank++;
    collapsed.extent[target] = continues ? collapsed.extent[target] * extent : extent;
    collapsed.stride_a[target] = problem.stride_a[axis];
    collapsed.stride_b[target] = problem.stride_b[axis];
  }
  return collapsed;
}

int64_t operand_span(const BinaryProblem& problem,
                     const std::array<int64_t, BinaryProblem::kMaxRank>& strides) {
  int64_t last = 0;
  for (int axis = 0; axis < problem.rank; ++axis) {
    last += (problem.extent[axis] - 1) * strides[axis];
  }
  return last + 1;
}

}  // namespace tessera::cuda
