// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// Text from a file as a message may show it: control characters and bytes that are not UTF-8 are
// written as \x1b, and it is cut after 120 bytes.
std::string printable(std::string_view text);

// The same in single quotes, as messages show names.
std::string quote_name(std::string_view name);

// Whether `text` is well-formed UTF-8 (Unicode 15, table 3-7).
bool is_valid_utf8(std::string_view text);

}  // namespace tessera
