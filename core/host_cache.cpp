// SPDX-License-Identifier: Apache-2.0
#include "core/host_cache.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace tessera {

size_t host_last_level_cache_bytes() {
  constexpr size_t kKibibyte = 1024;
  size_t largest = 0;
  for (int index = 0;; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::ifstream size_file(folder + "size");
    size_t kibibytes = 0;
    if (!(size_file >> kibibytes)) return largest;  // "32768K"
    std::string type;
    std::ifstream(folder + "type") >> type;
    if (type != "Instruction") largest = std::max(largest, kibibytes * kKibibyte);
  }
}

}  // namespace tessera
