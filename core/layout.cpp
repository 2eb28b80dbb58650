// SPDX-License-Identifier: Apache-2.0
#include "core/layout.h"

namespace tessera {

const char* layout_name(Layout layout) {
  switch (layout) {
    case Layout::kRowMajor:
      return "row-major";
    case Layout::kNHWC:
      return "NHWC";
    case Layout::kNChw8c:
      return "nChw8c";
    case Layout::kNChw16c:
      return "nChw16c";
  }
  return "unknown";
}

std::ostream& operator<<(std::ostream& out, Layout layout) { return out << layout_name(layout); }

int64_t layout_channel_block(Layout layout) {
  if (layout == Layout::kNChw8c) return 8;
  if (layout == Layout::kNChw16c) return 16;
  return 1;
}

}  // namespace tessera
