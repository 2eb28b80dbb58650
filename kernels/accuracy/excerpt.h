// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/accuracy/encoding.h"
#include "kernels/problem/problem.h"

namespace tessera {

// A part of a problem that is a problem of its own, so small that the float64 reference computes it
// in seconds: of a GEMM some rows and columns (the first, the last and between), of a problem with
// an outermost axis (samples, rows) the first and last few. Problems that are small already, and
// families without such an axis, are their own excerpt.
struct Excerpt {
  // Elements [begin, begin + count) of the whole output.
  struct Range {
    int64_t begin = 0;
    int64_t count = 0;
  };

  Problem problem;
  std::vector<Bytes> inputs;
  std::vector<Range> output;  // where the excerpt's output elements are, in their order

  // The excerpt's part of the output of the whole problem.
  [[nodiscard]] Bytes cut(const Bytes& whole_output) const;
};

// An excerpt of about `most_flops` or less; one row or sample at least.
Excerpt make_excerpt(const Problem& problem, const std::vector<Bytes>& inputs, double most_flops);

}  // namespace tessera
