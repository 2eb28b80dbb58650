// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/dtype.h"
#include "core/layout.h"

namespace tessera {

enum class PoolKind : uint8_t { kMax, kAverage };

// dst[n, c, p, q] = max or mean over r in [0, R), s in [0, S) of
//     src[n, c, p * stride_h - pad_top + r * dilation_h, q * stride_w - pad_left + s * dilation_w]
//
// src is (N, C, H, W), dst is (N, C, P, Q), both in `layout`.
// Maximum: cells outside src do not take part; a NaN in the window gives NaN; a window of -infinity
// gives -infinity.
// Mean: cells outside src add zero. The divisor counts, with count_include_pad, the window's cells
// that lie in [-pad_top, H + pad_bottom) x [-pad_left, W + pad_right), otherwise those inside src:
// with ceil_mode the last window can reach past the padding, and those cells never count
// (ONNX AveragePool). A window without any cell in src gives 0.
struct PoolProblem {
  static constexpr std::string_view kFamily = "pool";
  static constexpr int kSrc = 0;

  PoolKind kind = PoolKind::kMax;
  DType dtype = DType::kF32;
  int64_t N = 0, C = 0, H = 0, W = 0;
  int64_t R = 0, S = 0;
  int64_t P = 0, Q = 0;
  int64_t stride_h = 1, stride_w = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  int64_t dilation_h = 1, dilation_w = 1;
  bool count_include_pad = false;
  Layout layout = Layout::kRowMajor;

  bool operator==(const PoolProblem&) const = default;
};

std::ostream& operator<<(std::ostream& out, const PoolProblem& problem);

}  // namespace tessera
