// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera {

// `name` with each line break written as "\x0a": the name of a file may hold some, and a message
// that quotes it must not have more lines for it.
std::string in_one_line(std::string name);

}  // namespace tessera
