// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/status.h"

namespace tessera::cli {

// Replaces what is between the lines `<!-- begin: NAME -->` and `<!-- end: NAME -->` of a page.
// kInvalidArgument when it lacks them.
Status write_section(const std::string& path, const std::string& name, const std::string& text);

}  // namespace tessera::cli
