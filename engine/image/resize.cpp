// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/check.h"
#include "engine/image/decoder.h"

namespace tessera {
namespace {

// The method is that of Pillow's resize up to version 12 (ImagingResample): each output pixel is a
// weighted mean of the source pixels that a filter covers; the filter is widened by the scale when
// shrinking; first along rows, then along columns, with 8-bit pixels in between and weights of 22
// fractional bits.
constexpr int kWeightBits = 22;

double bilinear_filter(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

// Keys' cubic convolution (IEEE Trans. ASSP 29, 1981) with a = -0.5.
double bicubic_filter(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * kA;
  return 0.0;
}

struct Filter {
  double (*weight)(double x);
  double support;  // the weight is zero further away than this
};

Filter filter_of(ResizeMode mode) {
  return mode == ResizeMode::kBicubic ? Filter{bicubic_filter, 2.0} : Filter{bilinear_filter, 1.0};
}

// Which source pixels make one output pixel.
struct Window {
  int64_t first = 0;
  std::vector<int32_t> weights;
};

std::vector<Window> make_windows(int64_t src_size, int64_t dst_size, const Filter& filter) {
  const double scale = static_cast<double>(src_size) / static_cast<double>(dst_size);
  const double filter_scale = std::max(scale, 1.0);
  const double support = filter.support * filter_scale;
  std::vector<Window> windows(static_cast<size_t>(dst_size));
  std::vector<double> weights;
  for (int64_t i = 0; i < dst_size; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto first =
        std::max<int64_t>(static_cast<int64_t>(std::floor(center - support + 0.5)), 0);
    const auto last =
        std::min<int64_t>(static_cast<int64_t>(std::floor(center + support + 0.5)), src_size);
    double sum = 0.0;
    weights.clear();
    for (int64_t x = first; x < last; ++x) {
      weights.push_back(
          filter.weight((static_cast<double>(x) - center + 0.5) * (1.0 / filter_scale)));
      sum += weights.back();
    }
    Window& window = windows[static_cast<size_t>(i)];
    window.first = first;
    for (const double weight : weights) {
      const double share = (sum != 0.0 ? weight / sum : weight) * (1 << kWeightBits);
      window.weights.push_back(static_cast<int32_t>(share < 0.0 ? share - 0.5 : share + 0.5));
    }
  }
  return windows;
}

// Weighted sum of bytes that lie `stride` apart.
uint8_t apply_window(const Window& window, const uint8_t* src, int64_t stride) {
  int64_t sum = int64_t{1} << (kWeightBits - 1);
  for (const int32_t weight : window.weights) {
    sum += int64_t{weight} * *src;
    src += stride;
  }
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> kWeightBits, 0, 255));
}

Image resize_rows(const Image& src, int64_t width, const Filter& filter) {
  const std::vector<Window> windows = make_windows(src.width, width, filter);
  Image dst = make_image(src.height, width, src.channels);
  uint8_t* out = dst.pixels.data();
  for (int64_t y = 0; y < src.height; ++y) {
    const uint8_t* row = src.pixels.data() + y * src.width * src.channels;
    for (const Window& window : windows) {
      for (int64_t c = 0; c < src.channels; ++c) {
        *out++ = apply_window(window, row + window.first * src.channels + c, src.channels);
      }
    }
  }
  return dst;
}

Image resize_columns(const Image& src, int64_t height, const Filter& filter) {
  const std::vector<Window> windows = make_windows(src.height, height, filter);
  Image dst = make_image(height, src.width, src.channels);
  const int64_t row_bytes = src.width * src.channels;
  uint8_t* out = dst.pixels.data();
  for (const Window& window : windows) {
    const uint8_t* column = src.pixels.data() + window.first * row_bytes;
    for (int64_t i = 0; i < row_bytes; ++i) *out++ = apply_window(window, column + i, row_bytes);
  }
  return dst;
}

}  // namespace

Image resize_image(const Image& image, int64_t height, int64_t width, ResizeMode mode) {
  TESSERA_CHECK(height > 0 && width > 0 && image.height > 0 && image.width > 0);
  const Filter filter = filter_of(mode);
  if (width == image.width && height == image.height) return image;
  if (width == image.width) return resize_columns(image, height, filter);
  Image narrowed = resize_rows(image, width, filter);
  return height == image.height ? narrowed : resize_columns(narrowed, height, filter);
}

}  // namespace tessera
