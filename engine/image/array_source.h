// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/image/array_file.h"
#include "engine/image/input_source.h"

namespace tessera {

// The samples of an array along its first extent: unsigned bytes (N, H, W) or (N, H, W, C) with C
// of 1, 3 or 4 are pictures, float32 (N, ...) are network inputs. kUnsupported names another dtype
// or shape, kInvalidArgument an array without samples. `path` is for messages and names.
Result<std::unique_ptr<InputSource>> make_array_source(ArrayFile array, const std::string& path);

}  // namespace tessera
