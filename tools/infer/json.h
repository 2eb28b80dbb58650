// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/status.h"

namespace tessera::cli {

// Keys keep the order in which they were added.
using Json = nlohmann::ordered_json;

// Text of a JSON value; bytes that are not UTF-8 become U+FFFD (names are given in the
// form of escape_name, which loses nothing). `indent` below 0 gives
// one line.
std::string to_text(const Json& json, int indent = -1);

// Prints a document on stdout.
Status print_json(const Json& json);

}  // namespace tessera::cli
