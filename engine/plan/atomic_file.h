// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/status.h"

namespace tessera {

// Replaces the file `path` by `content` in one step: readers see the old file or the whole new one,
// and a failure leaves the old one. kInvalidArgument when `path` is there and no regular file,
// kNotFound when nothing can be created beside it, kIo when it cannot be written.
Status write_file_atomically(const std::string& path, std::string_view content);

}  // namespace tessera
