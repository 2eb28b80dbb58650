// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "engine/image/image.h"

namespace tessera {

// `count` bytes that look random, the same for the same seed on every machine:
// x = x * 1103515245 + 12345 modulo 2^31, bits 16 to 23.
std::vector<uint8_t> noise_bytes(size_t count, uint32_t seed);
Image noise_image(int64_t height, int64_t width, int64_t channels, uint32_t seed);

// decode_image of a file's content, under the name "test.img".
Result<Image> decode(std::string_view content);

std::string to_text(const std::vector<uint8_t>& bytes);

// Numbers of 2 or 4 bytes, as files hold them.
std::string little16(uint32_t value);
std::string little32(uint32_t value);
std::string big16(uint32_t value);
std::string big32(uint32_t value);

// The file of a PGM picture.
std::string pgm_bytes(const Image& image);

}  // namespace tessera
