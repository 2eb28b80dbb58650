// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/layout.h"

namespace tessera {

// dst[i[permutation[0]], i[permutation[1]], ...] = src[i[0], i[1], ...]: axis d of dst is axis
// permutation[d] of src. src is row-major of `extent[0..rank)`.
struct TransposeProblem {
  static constexpr std::string_view kFamily = "transpose";
  static constexpr int kMaxRank = 8;
  static constexpr int kSrc = 0;

  DType dtype = DType::kF32;
  int rank = 0;
  std::array<int64_t, kMaxRank> extent = {};
  std::array<int, kMaxRank> permutation = {};

  [[nodiscard]] int64_t count() const {
    int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= extent[i];
    return product;
  }
  bool operator==(const TransposeProblem&) const = default;
};

// Operand j is (outer, axis_extents[j], inner), row-major; dst is (outer, sum of them, inner):
// the operands one after the other along the middle axis.
struct ConcatProblem {
  static constexpr std::string_view kFamily = "concat";
  DType dtype = DType::kF32;
  int64_t outer = 0;
  int64_t inner = 0;
  std::vector<int64_t> axis_extents;

  bool operator==(const ConcatProblem&) const = default;
};

// dst[o, j, i] = src[o, indices[j], i]; src is (outer, axis, inner), dst (outer, index_count,
// inner). A negative index counts from the end. An index out of range is an error on devices that
// share host memory; elsewhere it gives zeros (a device cannot report it in time).
struct GatherProblem {
  static constexpr std::string_view kFamily = "gather";
  static constexpr int kSrc = 0;
  static constexpr int kIndices = 1;

  DType dtype = DType::kF32;
  DType index_dtype = DType::kI64;  // kI32 or kI64
  int64_t outer = 0;
  int64_t axis = 0;
  int64_t inner = 0;
  int64_t index_count = 0;

  bool operator==(const GatherProblem&) const = default;
};

// dst = src with the same logical (N, C, H, W) elements in another memory layout; channel padding
// of a blocked dst is filled with zeros.
struct ReorderProblem {
  static constexpr std::string_view kFamily = "reorder";
  static constexpr int kSrc = 0;

  DType dtype = DType::kF32;
  int64_t N = 0, C = 0, H = 0, W = 0;
  Layout from = Layout::kRowMajor;
  Layout to = Layout::kRowMajor;

  bool operator==(const ReorderProblem&) const = default;
};

std::ostream& operator<<(std::ostream& out, const TransposeProblem& problem);
std::ostream& operator<<(std::ostream& out, const ConcatProblem& problem);
std::ostream& operator<<(std::ostream& out, const GatherProblem& problem);
std::ostream& operator<<(std::ostream& out, const ReorderProblem& problem);

}  // namespace tessera
