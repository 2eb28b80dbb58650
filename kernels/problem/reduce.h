// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/dtype.h"

namespace tessera {

// What becomes of the elements x[a] along the axis; in brackets for an axis of extent 0.
enum class ReduceKind : uint8_t {
  kSum,        // sum x[a]                          (0)
  kMean,       // sum x[a] / axis                   (NaN)
  kMax,        // the largest; a NaN gives NaN      (-infinity)
  kMin,        // the smallest; a NaN gives NaN     (infinity)
  kProd,       // product x[a]                      (1)
  kL1,         // sum |x[a]|                        (0)
  kL2,         // sqrt(sum x[a]^2)                  (0)
  kSumSquare,  // sum x[a]^2                        (0)
  kLogSumExp,  // m + log(sum exp(x[a] - m)) with m the largest x[a] if that is finite, otherwise 0,
               // which keeps exp from overflowing  (-infinity)
};

// dst[o, i] = the reduction of src[o, a, i] over a. src is (outer, axis, inner), dst (outer,
// inner), both row-major.
struct ReduceProblem {
  static constexpr std::string_view kFamily = "reduce";
  static constexpr int kSrc = 0;

  ReduceKind kind = ReduceKind::kSum;
  DType dtype = DType::kF32;
  int64_t outer = 0;
  int64_t axis = 0;
  int64_t inner = 0;

  bool operator==(const ReduceProblem&) const = default;
};

const char* reduce_name(ReduceKind kind);
std::ostream& operator<<(std::ostream& out, const ReduceProblem& problem);

}  // namespace tessera
