// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "engine/image/image.h"

namespace tessera {

// The EXIF orientation that a JPEG file states, 1 to 8; 1 (upright) when it states none.
int read_exif_orientation(std::span<const std::byte> jpeg);

// Turns a picture stored with that orientation upright (EXIF 2.3, table of tag 0x0112).
Image apply_orientation(Image image, int orientation);

}  // namespace tessera
