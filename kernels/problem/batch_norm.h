// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/dtype.h"

namespace tessera {

// dst[n, c, i] = (src[n, c, i] - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c]
// src and dst are (N, C, inner), row-major; the parameters are (C). For a batch norm that could not
// be folded into the weights before it. ONNX opset 7's spatial = 0 is C := C * inner, inner := 1.
struct BatchNormProblem {
  static constexpr std::string_view kFamily = "batch_norm";
  static constexpr int kSrc = 0;
  static constexpr int kScale = 1;
  static constexpr int kBias = 2;
  static constexpr int kMean = 3;
  static constexpr int kVariance = 4;

  DType dtype = DType::kF32;
  int64_t N = 0;
  int64_t C = 0;
  int64_t inner = 0;
  float epsilon = 1e-5f;

  bool operator==(const BatchNormProblem&) const = default;
};

std::ostream& operator<<(std::ostream& out, const BatchNormProblem& problem);

}  // namespace tessera
