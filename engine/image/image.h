// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"

namespace tessera {

// A decoded picture: 8 bits a channel, rows from the top, pixels interleaved (height, width,
// channels). Channels: 1 gray, 3 RGB, 4 RGB and alpha (not premultiplied).
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  std::vector<uint8_t> pixels;
};

// Decodes PNG, JPEG, BMP or PNM, told apart by content, not by the file's name. 16-bit samples keep
// their high byte, palettes are expanded, CMYK becomes RGB, EXIF orientation is applied.
// kInvalidArgument says what is wrong with the picture (with `name`); kUnsupported when this build
// has no decoder for the format. A header that declares more than kMaxPixels is refused before any
// memory is taken.
inline constexpr int64_t kMaxPixels = int64_t{1} << 28;
Result<Image> decode_image(std::span<const std::byte> bytes, const std::string& name);
Result<Image> read_image_file(const std::string& path);

enum class ColorMode : uint8_t { kGray, kRgb, kBgr };
enum class ResizeMode : uint8_t {
  kNone,      // the picture must have the network's size already
  kBilinear,  // to the network's size, antialiased as Pillow does it; aspect ratio not kept
  kBicubic,   // likewise
  kShortest,  // bilinear: shorter side to `resize_size`, then the centre is cut out
};

// How a picture becomes the numbers that a network was trained on. Every run states it.
struct Preprocess {
  std::string preset;  // its name, or where it came from: "fashion-mnist", "command line"
  int64_t height = 0;  // what the network takes; 0: as the model declares
  int64_t width = 0;
  ColorMode color = ColorMode::kRgb;
  ResizeMode resize = ResizeMode::kBilinear;
  int64_t resize_size = 0;  // kShortest: the shorter side before the cut
  float scale = 1.0f / 255.0f;
  std::array<float, 4> mean = {};
  std::array<float, 4> std = {1.0f, 1.0f, 1.0f, 1.0f};
  bool nhwc = false;  // the network takes (N, H, W, C)

  [[nodiscard]] int64_t channels() const { return color == ColorMode::kGray ? 1 : 3; }
  // "28x28 gray, bilinear resize, (x * 0.00392157 - 0.286) / 0.353": for the header line.
  [[nodiscard]] std::string to_string() const;
};

// Converts colours, resizes and crops into `out`, height * width * channels bytes, interleaved.
// Gray from RGB is ITU-R 601 luma as Pillow rounds it; alpha is dropped. kInvalidArgument when the
// picture has another size and resizing is off, and when the picture is in its alpha channel alone
// (one colour everywhere, alpha varying): dropping alpha would leave a blank.
Status fit_image(const Image& image, const Preprocess& preprocess, std::span<uint8_t> out);

// Resizes interleaved 8-bit pixels. Antialiased: the filter grows with the scale when shrinking.
// Rows first, then columns, as Pillow does up to version 12, whose results are the same to the bit.
// Pillow 13 takes the columns first when the height shrinks more than twice as much as the width;
// bilinear results then differ by at most 1, bicubic ones by more where the first pass saturates.
// Requires: sizes above 0; `mode` kBicubic, or anything else for bilinear.
Image resize_image(const Image& image, int64_t height, int64_t width, ResizeMode mode);

}  // namespace tessera
