// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/data_movement/collapse.h"

#include <algorithm>
#include <vector>

namespace tessera::cuda {
namespace {

// Consecutive axes [first, last] of src that stay together.
struct AxisRun {
  int first;
  int last;
  int64_t extent;
};

}  // namespace

TransposeProblem collapse(const TransposeProblem& problem) {
  // Whether an axis of extent 1 is met between two others does not keep them apart.
  std::vector<int> next_axis(problem.rank, problem.rank);  // of src, skipping extents of 1
  for (int axis = problem.rank - 1, next = problem.rank; axis >= 0; --axis) {
    next_axis[axis] = next;
    if (problem.extent[axis] != 1) next = axis;
  }
  std::vector<AxisRun> runs;  // in the order of dst
  for (int d = 0; d < problem.rank; ++d) {
    const int axis = problem.permutation[d];
    if (problem.extent[axis] == 1) continue;
    if (!runs.empty() && next_axis[runs.back().last] == axis) {
      runs.back().last = axis;
      runs.back().extent *= problem.extent[axis];
    } else {
      runs.push_back({axis, axis, problem.extent[axis]});
    }
  }
  std::vector<AxisRun> by_source = runs;
  std::sort(by_source.begin(), by_source.end(),
            [](const AxisRun& a, const AxisRun& b) { return a.first < b.first; });

  TransposeProblem collapsed;
  collapsed.dtype = problem.dtype;
  collapsed.rank = static_cast<int>(runs.size());
  for (int i = 0; i < collapsed.rank; ++i) {
    collapsed.extent[i] = by_source[i].extent;
    const auto position = std::find_if(by_source.begin(), by_source.end(), [&](const AxisRun& run) {
      return run.first == runs[i].first;
    });
    collapsed.permutation[i] = static_cast<int>(position - by_source.begin());
  }
  return collapsed;
}

}  // namespace tessera::cuda
