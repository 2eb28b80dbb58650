// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/layout.h"
#include "core/math.h"

namespace tessera::reference {

// An image tensor: logical extents and how it lies in memory.
struct ImageTensor {
  Layout layout = Layout::kRowMajor;
  int64_t N = 0, C = 0, H = 0, W = 0;

  // Channels in memory, the padding of a blocked layout included.
  [[nodiscard]] int64_t padded_channels() const {
    return round_up(C, layout_channel_block(layout));
  }
  // Where element (n, c, h, w) lies, in elements. c may be a padding channel.
  [[nodiscard]] int64_t offset(int64_t n, int64_t c, int64_t h, int64_t w) const {
    switch (layout) {
      case Layout::kRowMajor:
        return ((n * C + c) * H + h) * W + w;
      case Layout::kNHWC:
        return ((n * H + h) * W + w) * C + c;
      case Layout::kNChw8c:
      case Layout::kNChw16c:
        break;
    }
    const int64_t block = layout_channel_block(layout);
    const int64_t blocks = ceil_div(C, block);
    return (((n * blocks + c / block) * H + h) * W + w) * block + c % block;
  }
};

// Fills the padding channels of a blocked layout with zeros; nothing for other layouts.
template <typename T>
void zero_channel_padding(T* data, const ImageTensor& tensor) {
  for (int64_t n = 0; n < tensor.N; ++n) {
    for (int64_t c = tensor.C; c < tensor.padded_channels(); ++c) {
      for (int64_t h = 0; h < tensor.H; ++h) {
        for (int64_t w = 0; w < tensor.W; ++w) data[tensor.offset(n, c, h, w)] = T{};
      }
    }
  }
}

}  // namespace tessera::reference
