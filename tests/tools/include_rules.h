// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// For each top folder the other folders whose headers it may include.
using IncludeDirection = std::map<std::string, std::set<std::string>>;

// Reads the fenced block `include-direction` of a Markdown file: lines "folder: folder folder".
// Empty when there is no such block.
IncludeDirection parse_include_direction(std::string_view markdown);

// What is wrong with the #include lines of one file, one entry "path:line: reason" each. `path` is
// relative to the root of the tree.
std::vector<std::string> check_includes(const IncludeDirection& direction, const std::string& path,
                                        std::string_view text);

}  // namespace tessera
