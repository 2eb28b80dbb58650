// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>

namespace tessera {

// Order of the elements of a tensor in memory. A Shape is always written in logical order (for an
// image tensor N, C, H, W); the layout says how it lies in memory.
enum class Layout : uint8_t {
  kRowMajor,  // last dimension contiguous; for an image tensor this is NCHW
  kNHWC,      // rank 4: channels contiguous
  kNChw8c,    // rank 4: channels in blocks of 8, the last block padded with zeros
  kNChw16c,   // rank 4: channels in blocks of 16, the last block padded with zeros
};

const char* layout_name(Layout layout);
std::ostream& operator<<(std::ostream& out, Layout layout);

// Channels per block: 8 or 16 for the blocked layouts, 1 for the others.
int64_t layout_channel_block(Layout layout);

}  // namespace tessera
