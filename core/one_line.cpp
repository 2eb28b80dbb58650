// SPDX-License-Identifier: Apache-2.0
#include "core/one_line.h"

namespace tessera {

std::string in_one_line(std::string name) {
  for (size_t at = name.find('\n'); at != std::string::npos; at = name.find('\n', at)) {
    name.replace(at, 1, "\\x0a");
  }
  return name;
}

}  // namespace tessera
