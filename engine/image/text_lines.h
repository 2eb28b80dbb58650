// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"

namespace tessera {

// The lines of a UTF-8 text file without line ends (LF or CR LF), white space around them and a
// byte order mark. kNotFound for a file that cannot be read, kInvalidArgument for one that holds
// zero bytes and so is no text.
Result<std::vector<std::string>> read_text_lines(const std::string& path);

}  // namespace tessera
