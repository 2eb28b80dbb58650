// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/problems.h"

namespace tessera::testing {

std::vector<Problem> softmax_problems() {
  std::vector<Problem> list;
  for (const bool log : {false, true}) {
    const auto add = [&](int64_t outer, int64_t axis, int64_t inner) {
      list.emplace_back(SoftmaxProblem{DType::kF32, outer, axis, inner, log});
    };
    for (const int64_t axis : {1,   2,   3,   10,  31,  32,   33,   63,   64,   65,
                               127, 128, 129, 255, 257, 1000, 1023, 1024, 1025, 4097}) {
      add(1, axis, 1);
      add(7, axis, 1);
    }
    add(0, 10, 1);
    add(1000, 10, 1);
    add(129, 33, 1);
    add(1, 10000, 1);
    add(3, 4096, 1);
    add(2, 20000, 1);  // more than a block keeps in shared memory
    add(33, 8, 1);
    add(5, 16, 1);
    // The axis is not the innermost dimension.
    add(2, 10, 7);
    add(1, 21, 65);
    add(3, 33, 32);
    add(2, 19, 68);
    add(7, 3, 12);
    add(5, 1, 9);
    add(1, 1000, 3);
    add(0, 4, 4);
    list.emplace_back(SoftmaxProblem{DType::kF64, 3, 10, 2, log});
  }
  append_precisions(list);
  return list;
}

}  // namespace tessera::testing
