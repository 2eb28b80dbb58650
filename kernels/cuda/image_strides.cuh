// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "core/layout.h"

namespace tessera::cuda {

// Strides in elements of a (N, C, H, W) tensor.
struct ImageStrides {
  int64_t n, c, h, w;
};

// Requires: is_strided_layout(layout).
__host__ __device__ inline ImageStrides image_strides(Layout layout, int64_t C, int64_t H,
                                                      int64_t W) {
  if (layout == Layout::kNHWC) return {H * W * C, 1, W * C, C};
  return {C * H * W, H * W, W, 1};
}

}  // namespace tessera::cuda
