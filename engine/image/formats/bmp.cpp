// SPDX-License-Identifier: Apache-2.0
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stb_image.h>
#include <string>

#include "core/math.h"
#include "engine/image/decoder.h"

namespace tessera {
namespace {

struct BmpHeader {
  int64_t pixel_offset = 0;
  int64_t width = 0;
  int64_t height = 0;
  int64_t bits_per_pixel = 0;
};

// The file header and the old (12 bytes) or the newer (40 and more) information header.
Result<BmpHeader> read_header(std::span<const std::byte> bytes) {
  constexpr size_t kFileHeaderBytes = 14;
  if (bytes.size() < kFileHeaderBytes + 12)
    return invalid_argument("broken BMP: the file ends in its header");
  const uint32_t info_bytes = read_u32_little(bytes, kFileHeaderBytes);
  BmpHeader header;
  header.pixel_offset = read_u32_little(bytes, 10);
  if (info_bytes == 12) {
    header.width = read_u16_little(bytes, 18);
    header.height = read_u16_little(bytes, 20);
    header.bits_per_pixel = read_u16_little(bytes, 24);
    return header;
  }
  if (bytes.size() < kFileHeaderBytes + 40)
    return invalid_argument("broken BMP: the file ends in its header");
  header.width = static_cast<int32_t>(read_u32_little(bytes, 18));
  // A negative height means rows from the top.
  header.height = std::abs(int64_t{static_cast<int32_t>(read_u32_little(bytes, 22))});
  header.bits_per_pixel = read_u16_little(bytes, 28);
  return header;
}

// stb_image takes what lies past the end of the file as zeros, so the length is checked before.
Status check_length(std::span<const std::byte> bytes, const BmpHeader& header) {
  const int64_t row_bytes =
      round_up(ceil_div(header.width * header.bits_per_pixel, int64_t{8}), int64_t{4});
  const int64_t needed = header.pixel_offset + row_bytes * header.height;
  if (needed <= static_cast<int64_t>(bytes.size())) return {};
  return invalid_argument("broken BMP: the file has " + std::to_string(bytes.size()) + " of " +
                          std::to_string(needed) + " bytes");
}

Result<Image> decode(std::span<const std::byte> bytes) {
  TESSERA_ASSIGN_OR_RETURN(const BmpHeader header, read_header(bytes));
  TESSERA_RETURN_IF_ERROR(check_image_size(header.height, header.width));
  TESSERA_RETURN_IF_ERROR(check_length(bytes, header));
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return invalid_argument("a BMP of more than 2 GiB");
  }
  int width = 0;
  int height = 0;
  int channels = 0;
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes.data()),
                            static_cast<int>(bytes.size()), &width, &height, &channels, 0),
      stbi_image_free);
  if (!pixels) {
    return invalid_argument(std::string("BMP that cannot be read: ") + stbi_failure_reason());
  }
  Image image = make_image(height, width, channels);
  std::copy_n(pixels.get(), image.pixels.size(), image.pixels.begin());
  return image;
}

}  // namespace

ImageDecoder bmp_decoder() { return {"bmp", decode}; }

}  // namespace tessera
