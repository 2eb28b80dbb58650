// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tessera {

// Whether a comes before b when runs of digits count as numbers: "img2.png" before "img10.png".
// Otherwise by bytes; strings that differ in leading zeros alone are ordered by bytes, so that the
// order is total.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace tessera
