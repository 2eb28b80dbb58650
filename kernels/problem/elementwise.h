// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/dtype.h"
#include "kernels/problem/epilogue.h"

namespace tessera {

// dst[i] = activation(src[i]) for i in [0, count). `count` is a number of storage elements: the
// function is applied to the channel padding of a blocked layout too. Requires for blocked
// layouts: activation(0) == 0, since the padding must stay zero.
struct UnaryProblem {
  static constexpr std::string_view kFamily = "unary";
  static constexpr int kSrc = 0;

  DType dtype = DType::kF32;
  int64_t count = 0;
  Activation activation;

  bool operator==(const UnaryProblem&) const = default;
};

enum class BinaryKind : uint8_t { kAdd, kSub, kMul, kDiv };

// dst[i] = a[i] (op) b[i] over a row-major dst of `extent[0..rank)`; the element of an operand for
// index i is at the sum of i[d] * stride[d], with stride 0 where it is broadcast.
// Integer division truncates towards zero; dividing by zero gives 0 for integers.
// With equal shapes the lowering collapses all dimensions into one (rank 1, strides 1).
struct BinaryProblem {
  static constexpr std::string_view kFamily = "binary";
  static constexpr int kMaxRank = 8;
  static constexpr int kA = 0;
  static constexpr int kB = 1;

  BinaryKind kind = BinaryKind::kAdd;
  DType dtype = DType::kF32;
  int rank = 0;
  std::array<int64_t, kMaxRank> extent = {};
  std::array<int64_t, kMaxRank> stride_a = {};
  std::array<int64_t, kMaxRank> stride_b = {};

  [[nodiscard]] int64_t count() const {
    int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= extent[i];
    return product;
  }
  // True when both operands have the shape of dst: no broadcasting.
  [[nodiscard]] bool is_dense() const;
  bool operator==(const BinaryProblem&) const = default;
};

// dst[i] = (to) src[i], as ONNX's Cast-13 says. Float to integer truncates; to bool is `!= 0`. An
// integer out of the range of a narrower or differently signed one loses its higher bits (two's
// complement: int16 200 to int8 is -56). NaN and floats out of range to integers are undefined in
// ONNX and saturate here (NaN gives 0).
struct CastProblem {
  static constexpr std::string_view kFamily = "cast";
  static constexpr int kSrc = 0;

  DType from = DType::kF32;
  DType to = DType::kF32;
  int64_t count = 0;

  bool operator==(const CastProblem&) const = default;
};

const char* binary_name(BinaryKind kind);
std::ostream& operator<<(std::ostream& out, const UnaryProblem& problem);
std::ostream& operator<<(std::ostream& out, const BinaryProblem& problem);
std::ostream& operator<<(std::ostream& out, const CastProblem& problem);

}  // namespace tessera
