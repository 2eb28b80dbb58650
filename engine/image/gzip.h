// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"

namespace tessera {

// Inflates the gzip file `compressed` (RFC 1952): all its members, one after the other. First its
// first `head_bytes` bytes, from which `measure` tells how long the whole is; then that much.
// Neither less nor more may follow, and a file that could not hold so much is refused before memory
// is taken for it, so that a small file cannot ask for a large answer. kInvalidArgument for a
// broken file, of which bytes after the last member are one kind; kUnavailable when this build has
// no zlib. Messages do not hold the file's name.
Result<std::vector<std::byte>> inflate_gzip(
    std::span<const std::byte> compressed, size_t head_bytes,
    const std::function<Result<int64_t>(std::span<const std::byte> head)>& measure);

bool is_gzip(std::span<const std::byte> bytes);

}  // namespace tessera
