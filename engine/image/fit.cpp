// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "core/math.h"
#include "engine/image/decoder.h"

namespace tessera {
namespace {

std::string size_text(int64_t width, int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

// ITU-R 601 luma in 16 fractional bits, rounded as Pillow's convert("L") rounds.
uint8_t luma(const uint8_t* rgb) {
  return static_cast<uint8_t>((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

Image convert_color(const Image& image, ColorMode color) {
  const int64_t channels = color == ColorMode::kGray ? 1 : 3;
  Image out = make_image(image.height, image.width, channels);
  const uint8_t* src = image.pixels.data();
  uint8_t* dst = out.pixels.data();
  const uint8_t* end = src + image.pixels.size();
  for (; src != end; src += image.channels, dst += channels) {
    if (channels == 1) {
      *dst = image.channels == 1 ? *src : luma(src);
    } else if (image.channels == 1) {
      std::fill_n(dst, 3, *src);
    } else if (color == ColorMode::kBgr) {
      std::reverse_copy(src, src + 3, dst);
    } else {
      std::copy_n(src, 3, dst);
    }
  }
  return out;
}

// A picture drawn in transparency alone (white letters on nothing) has one colour everywhere.
// Dropping alpha as usual would give the network a blank square and the user a confident answer.
Status check_alpha(const Image& image) {
  if (image.channels != 4) return {};
  bool alpha_varies = false;
  for (size_t i = 4; i < image.pixels.size(); i += 4) {
    if (!std::equal(image.pixels.begin(), image.pixels.begin() + 3,
                    image.pixels.begin() + static_cast<std::ptrdiff_t>(i)))
      return {};
    alpha_varies = alpha_varies || image.pixels[i + 3] != image.pixels[3];
  }
  if (!alpha_varies) return {};
  return invalid_argument(
      "all that can be seen is in the alpha channel; the colours are one flat tone. Alpha is not "
      "used: put the picture on a background first");
}

// torchvision's Resize(size): the longer side is size * long / short, rounded down.
Result<Image> resize_shortest(const Image& image, const Preprocess& preprocess) {
  const int64_t target = preprocess.resize_size;
  const int64_t shorter = std::min(image.height, image.width);
  const int64_t longer = std::max(image.height, image.width);
  const auto scaled =
      static_cast<int64_t>(static_cast<double>(target * longer) / static_cast<double>(shorter));
  const int64_t height = image.height <= image.width ? target : scaled;
  const int64_t width = image.height <= image.width ? scaled : target;
  if (height < preprocess.height || width < preprocess.width) {
    return invalid_argument("resized to " + size_text(width, height) + " (shorter side " +
                            std::to_string(target) +
                            "), the picture is smaller than the network's " +
                            size_text(preprocess.width, preprocess.height));
  }
  TESSERA_RETURN_IF_ERROR(check_image_size(height, width));
  return resize_image(image, height, width, ResizeMode::kBilinear);
}

// torchvision's CenterCrop: Python's round(), halves to the even number.
void crop_center(const Image& image, const Preprocess& preprocess, std::span<uint8_t> out) {
  const auto offset = [](int64_t size, int64_t crop) {
    return static_cast<int64_t>(std::nearbyint(static_cast<double>(size - crop) / 2.0));
  };
  const int64_t top = offset(image.height, preprocess.height);
  const int64_t left = offset(image.width, preprocess.width);
  const int64_t row_bytes = preprocess.width * image.channels;
  for (int64_t y = 0; y < preprocess.height; ++y) {
    const uint8_t* row = image.pixels.data() + ((top + y) * image.width + left) * image.channels;
    std::copy_n(row, row_bytes, out.data() + y * row_bytes);
  }
}

Result<Image> resize(Image image, const Preprocess& preprocess) {
  switch (preprocess.resize) {
    case ResizeMode::kNone:
      if (image.height == preprocess.height && image.width == preprocess.width) return image;
      return invalid_argument(
          "the picture is " + size_text(image.width, image.height) + ", the network takes " +
          size_text(preprocess.width, preprocess.height) + ", and resizing is off");
    case ResizeMode::kShortest:
      return resize_shortest(image, preprocess);
    case ResizeMode::kBilinear:
    case ResizeMode::kBicubic:
      break;
  }
  return resize_image(image, preprocess.height, preprocess.width, preprocess.resize);
}

}  // namespace

Status fit_image(const Image& image, const Preprocess& preprocess, std::span<uint8_t> out) {
  const int64_t bytes = preprocess.height * preprocess.width * preprocess.channels();
  if (bytes <= 0 || static_cast<int64_t>(out.size()) != bytes) {
    return internal_error("fit_image: " + std::to_string(out.size()) + " bytes for " +
                          preprocess.to_string());
  }
  TESSERA_RETURN_IF_ERROR(check_alpha(image));
  TESSERA_ASSIGN_OR_RETURN(const Image fitted,
                           resize(convert_color(image, preprocess.color), preprocess));
  // Only kShortest leaves something to cut off; for the others this is a copy.
  crop_center(fitted, preprocess, out);
  return {};
}

}  // namespace tessera
