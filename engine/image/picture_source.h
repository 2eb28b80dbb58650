// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/image/input_source.h"

namespace tessera {

// Pictures in files, decoded when they are read; a broken one is an error of its sample.
std::unique_ptr<InputSource> make_picture_source(std::vector<std::string> paths);

// Appends the pictures of a folder, told by the extensions .png .jpg .jpeg .bmp .pgm .ppm .pnm .pbm
// in upper or lower case, in natural order of their paths; hidden files are left out. kNotFound
// when there are none.
Status list_pictures(const std::string& folder, bool recursive, std::vector<std::string>& paths);

}  // namespace tessera
