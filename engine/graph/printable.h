// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

// Text from a file as a message may show it: control characters and bytes that are not UTF-8 are
// written as \x1b, and it is cut after `max_bytes`.
std::string printable(std::string_view text, size_t max_bytes = 120);

// The same in single quotes, as messages show names.
std::string quote_name(std::string_view name);

// The whole of a name as printable text from which it can be had back: control characters and bytes
// that are not UTF-8 are written as \x1b, and so is a backslash that would read as the beginning of
// such a group. Replacing every group of \x and two lower-case hexadecimal digits, from left to
// right, by its byte gives the name.
std::string escape_name(std::string_view name);

// Whether `text` is well-formed UTF-8 (Unicode 15, table 3-7).
bool is_valid_utf8(std::string_view text);

}  // namespace tessera
