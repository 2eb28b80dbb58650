// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tessera {

// What bytes that are no ONNX model seem to be, and what to do about it: "a Git LFS pointer: run
// `git lfs pull` to fetch the model itself". Nothing when they look like no known format.
std::optional<std::string> recognize_foreign_file(std::span<const std::byte> bytes);

}  // namespace tessera
