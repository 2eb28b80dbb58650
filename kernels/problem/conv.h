// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/dtype.h"
#include "core/layout.h"
#include "kernels/problem/epilogue.h"

namespace tessera {

// dst[n, k, p, q] = activation(bias[k] + residual[n, k, p, q] + sum over c, r, s of
//     src[n, g * C/groups + c, p * stride_h - pad_top + r * dilation_h,
//                              q * stride_w - pad_left + s * dilation_w] * weights[k, c, r, s])
//
// with g = k / (K / groups), c in [0, C / groups), r in [0, R), s in [0, S); what lies outside src
// counts as zero. Kernels multiply by that zero or leave the term out, which is the same for finite
// weights; where a weight that is not finite lies outside src, it is left open whether the result
// is NaN for it. src is (N, C, H, W) in src_layout, dst and residual are (N, K, P, Q) in
// dst_layout, weights are (K, C / groups, R, S) row-major, bias is (K). A 1-D convolution is
// H = R = P = 1. allow_tf32 is that of kernels/problem/gemm.h, for src and weights.
struct ConvProblem {
  static constexpr std::string_view kFamily = "conv";
  static constexpr int kSrc = 0;
  static constexpr int kWeights = 1;
  static constexpr int kBias = 2;
  static constexpr int kResidual = 3;

  DType dtype = DType::kF32;
  bool allow_tf32 = false;
  int64_t N = 0, C = 0, H = 0, W = 0;
  int64_t K = 0, R = 0, S = 0;
  int64_t P = 0, Q = 0;
  int64_t stride_h = 1, stride_w = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  int64_t dilation_h = 1, dilation_w = 1;
  int64_t groups = 1;
  Layout src_layout = Layout::kRowMajor;
  Layout dst_layout = Layout::kRowMajor;
  Epilogue epilogue;

  bool operator==(const ConvProblem&) const = default;
};

std::ostream& operator<<(std::ostream& out, const ConvProblem& problem);

}  // namespace tessera
