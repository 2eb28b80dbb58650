// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/status.h"
#include "engine/image/image.h"

namespace tessera {

// The kinds of file that decode_image knows by their first bytes, readable or not.
struct ImageFormat {
  std::string_view name;     // "PNG"
  std::string_view decoder;  // name of its decoder, empty when the project has none
  std::string_view library;  // what the decoder needs: "libspng"
  std::string_view package;  // what to install so that the build includes the decoder
};

// The format of a file that begins with `bytes`, or null when none is recognised.
const ImageFormat* recognize_image_format(std::span<const std::byte> bytes);

// One file in formats/, whose `ImageDecoder <name>_decoder()` makes it. `decode` requires bytes
// that recognize_image_format gave to it; messages do not hold the file's name, decode_image puts
// it before them.
struct ImageDecoder {
  std::string_view name;  // "png"
  Result<Image> (*decode)(std::span<const std::byte> bytes);
};

// The decoder of that name, or null when this build does not have it.
const ImageDecoder* find_image_decoder(std::string_view name);

// kInvalidArgument for an empty picture or one of more than kMaxPixels.
Status check_image_size(int64_t height, int64_t width);
// An image of zeros. Requires: check_image_size passed.
Image make_image(int64_t height, int64_t width, int64_t channels);

// Bytes as unsigned numbers. Requires: offset + width of the number <= bytes.size().
uint32_t read_u16_little(std::span<const std::byte> bytes, size_t offset);
uint32_t read_u32_little(std::span<const std::byte> bytes, size_t offset);

}  // namespace tessera
