// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/dtype.h"

namespace tessera {

// src and dst are (outer, axis, inner), row-major, and for every (o, i):
//   softmax:     dst[o, a, i] = exp(src[o, a, i] - m) / sum over a' of exp(src[o, a', i] - m)
//   log-softmax: dst[o, a, i] = src[o, a, i] - m - log(sum over a' of exp(src[o, a', i] - m))
// with m the largest src[o, a', i], which keeps exp from overflowing. A NaN in a row makes the
// whole row NaN.
struct SoftmaxProblem {
  static constexpr std::string_view kFamily = "softmax";
  static constexpr int kSrc = 0;

  DType dtype = DType::kF32;
  int64_t outer = 0;
  int64_t axis = 0;
  int64_t inner = 0;
  bool log = false;

  bool operator==(const SoftmaxProblem&) const = default;
};

std::ostream& operator<<(std::ostream& out, const SoftmaxProblem& problem);

}  // namespace tessera
