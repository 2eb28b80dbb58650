// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/image/image.h"

namespace tessera {

// The preprocessing known under a name: "imagenet", "mnist", "fashion-mnist" or "raw" (pixels 0 to
// 255 as they are, any size). Nothing for another name.
std::optional<Preprocess> find_preset(std::string_view name);

// "imagenet, mnist, fashion-mnist, raw": for messages and help.
std::string preset_names();

}  // namespace tessera
