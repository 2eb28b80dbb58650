// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/dtype.h"
#include "core/layout.h"

namespace tessera {

// dst[n, c, h, w] = (src[n, h, w, c] * scale - mean[c]) / std[c]
// src is uint8, (N, H, W, C) interleaved as image files hold it; dst is float (N, C, H, W) in
// dst_layout. C is 1, 3 or 4. Evaluated in float32 in exactly the order of the formula, so that
// backends agree bit for bit.
struct ImageProblem {
  static constexpr std::string_view kFamily = "image";
  static constexpr int kMaxChannels = 4;
  static constexpr int kSrc = 0;

  DType dtype = DType::kF32;  // of dst
  int64_t N = 0, H = 0, W = 0, C = 0;
  float scale = 1.0f;
  std::array<float, kMaxChannels> mean = {};
  std::array<float, kMaxChannels> std = {1.0f, 1.0f, 1.0f, 1.0f};
  Layout dst_layout = Layout::kRowMajor;

  bool operator==(const ImageProblem&) const = default;
};

std::ostream& operator<<(std::ostream& out, const ImageProblem& problem);

}  // namespace tessera
