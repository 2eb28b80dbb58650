// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/image_test_helpers.h"

#include <span>

namespace tessera {

std::vector<uint8_t> noise_bytes(size_t count, uint32_t seed) {
  std::vector<uint8_t> bytes(count);
  uint32_t state = seed;
  for (uint8_t& byte : bytes) {
    state = (state * 1103515245u + 12345u) & 0x7fffffffu;
    byte = static_cast<uint8_t>(state >> 16);
  }
  return bytes;
}

Image noise_image(int64_t height, int64_t width, int64_t channels, uint32_t seed) {
  return {height, width, channels,
          noise_bytes(static_cast<size_t>(height * width * channels), seed)};
}

Result<Image> decode(std::string_view content) {
  return decode_image(std::as_bytes(std::span(content)), "test.img");
}

std::string to_text(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

std::string little16(uint32_t value) {
  return {static_cast<char>(value), static_cast<char>(value >> 8)};
}

std::string little32(uint32_t value) { return little16(value) + little16(value >> 16); }

std::string big16(uint32_t value) {
  return {static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string big32(uint32_t value) { return big16(value >> 16) + big16(value); }

std::string pgm_bytes(const Image& image) {
  return "P5\n" + std::to_string(image.width) + " " + std::to_string(image.height) + "\n255\n" +
         to_text(image.pixels);
}

}  // namespace tessera
