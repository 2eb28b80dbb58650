// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "core/layout.h"

namespace tessera::cuda {

// Strides in elements of the axes N, C, H, W of an image tensor, in that order.
// Requires: layout is NCHW or NHWC.
inline std::array<int64_t, 4> library_image_strides(Layout layout, int64_t C, int64_t H,
                                                    int64_t W) {
  if (layout == Layout::kNHWC) return {H * W * C, 1, W * C, C};
  return {C * H * W, H * W, W, 1};
}

}  // namespace tessera::cuda
