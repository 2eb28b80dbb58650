// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spng.h>

#include "tests/engine/image_test_helpers.h"

namespace tessera {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct PngSpec {
  uint32_t width = 0;
  uint32_t height = 0;
  uint8_t bit_depth = 8;
  uint8_t color_type = SPNG_COLOR_TYPE_GRAYSCALE;
  std::vector<spng_plte_entry> palette = {};
  spng_trns* transparent = nullptr;
  double gamma = 0;
};

// Encodes rows of samples packed as PNG stores them (16-bit samples big-endian).
std::string encode_png(const PngSpec& spec, const std::vector<uint8_t>& rows) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header = {spec.width, spec.height, spec.bit_depth, spec.color_type, 0, 0, 0};
  EXPECT_EQ(spng_set_ihdr(context, &header), 0);
  if (!spec.palette.empty()) {
    spng_plte palette = {};
    palette.n_entries = static_cast<uint32_t>(spec.palette.size());
    std::copy(spec.palette.begin(), spec.palette.end(), palette.entries);
    EXPECT_EQ(spng_set_plte(context, &palette), 0);
  }
  if (spec.transparent != nullptr) {
    EXPECT_EQ(spng_set_trns(context, spec.transparent), 0);
  }
  if (spec.gamma > 0) {
    EXPECT_EQ(spng_set_gama(context, spec.gamma), 0);
  }
  EXPECT_EQ(
      spng_encode_image(context, rows.data(), rows.size(), SPNG_FMT_RAW, SPNG_ENCODE_FINALIZE), 0);
  size_t size = 0;
  int error = 0;
  void* bytes = spng_get_png_buffer(context, &size, &error);
  std::string png(static_cast<const char*>(bytes), size);
  std::free(bytes);
  spng_ctx_free(context);
  return png;
}

Image decode_ok(const std::string& png) {
  auto image = decode(png);
  EXPECT_TRUE(image.ok()) << image.status().message();
  return image.ok() ? *image : Image{};
}

TEST(Png, GrayOfEveryDepth) {
  EXPECT_THAT(decode_ok(encode_png({4, 1, 1}, {0b1010'0000})).pixels, ElementsAre(255, 0, 255, 0));
  EXPECT_THAT(decode_ok(encode_png({4, 1, 2}, {0b00'01'10'11})).pixels,
              ElementsAre(0, 85, 170, 255));
  EXPECT_THAT(decode_ok(encode_png({2, 1, 4}, {0x1f})).pixels, ElementsAre(17, 255));
  EXPECT_THAT(decode_ok(encode_png({2, 1, 8}, {7, 200})).pixels, ElementsAre(7, 200));
  const Image wide = decode_ok(encode_png({2, 1, 16}, {0x12, 0xff, 0xab, 0x00}));
  EXPECT_EQ(wide.channels, 1);
  EXPECT_THAT(wide.pixels, ElementsAre(0x12, 0xab));
}

TEST(Png, Colours) {
  const Image rgb = decode_ok(encode_png({1, 2, 8, SPNG_COLOR_TYPE_TRUECOLOR}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(rgb.height, 2);
  EXPECT_EQ(rgb.channels, 3);
  EXPECT_THAT(rgb.pixels, ElementsAre(1, 2, 3, 4, 5, 6));
  const Image rgba =
      decode_ok(encode_png({1, 1, 8, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA}, {1, 2, 3, 4}));
  EXPECT_EQ(rgba.channels, 4);
  EXPECT_THAT(rgba.pixels, ElementsAre(1, 2, 3, 4));
  const Image wide =
      decode_ok(encode_png({1, 1, 16, SPNG_COLOR_TYPE_TRUECOLOR}, {1, 99, 2, 99, 3, 99}));
  EXPECT_THAT(wide.pixels, ElementsAre(1, 2, 3));
  EXPECT_THAT(decode_ok(encode_png({1, 1, 8, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA}, {9, 4})).pixels,
              ElementsAre(9, 9, 9, 4));
}

TEST(Png, PaletteIsExpanded) {
  const PngSpec spec = {2, 1, 8, SPNG_COLOR_TYPE_INDEXED, {{1, 2, 3, 255}, {4, 5, 6, 255}}};
  const Image image = decode_ok(encode_png(spec, {1, 0}));
  EXPECT_EQ(image.channels, 3);
  EXPECT_THAT(image.pixels, ElementsAre(4, 5, 6, 1, 2, 3));
}

TEST(Png, TransparentColoursBecomeAlpha) {
  spng_trns transparent = {};
  transparent.n_type3_entries = 1;
  transparent.type3_alpha[0] = 77;
  const PngSpec spec = {
      2, 1, 8, SPNG_COLOR_TYPE_INDEXED, {{1, 2, 3, 255}, {4, 5, 6, 255}}, &transparent};
  EXPECT_THAT(decode_ok(encode_png(spec, {1, 0})).pixels, ElementsAre(4, 5, 6, 255, 1, 2, 3, 77));
  spng_trns gray = {};
  gray.gray = 5;
  EXPECT_THAT(decode_ok(encode_png({2, 1, 8, SPNG_COLOR_TYPE_GRAYSCALE, {}, &gray}, {5, 6})).pixels,
              ElementsAre(5, 5, 5, 0, 6, 6, 6, 255));
}

TEST(Png, GammaIsNotApplied) {
  const PngSpec spec = {2, 1, 8, SPNG_COLOR_TYPE_GRAYSCALE, {}, nullptr, 1.0};
  EXPECT_THAT(decode_ok(encode_png(spec, {100, 200})).pixels, ElementsAre(100, 200));
}

// 3x3, 8-bit gray with the values 10 to 90 in reading order, Adam7; written by hand: pass 1 holds
// (0,0), pass 5 (2,0) and (2,2), and so on; the data is a stored deflate block.
TEST(Png, InterlacedPicturesAreWhole) {
  const std::string interlaced =
      "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\003\000"
      "\000\000\003\010\000\000\000\001\004\104\332\365\000\000\000\032\111\104\101\124\170"
      "\001\001\017\000\360\377\000\012\000\036\000\106\132\000\024\000\120\000\050\062\074"
      "\013\035\001\303\323\023\074\051\000\000\000\000\111\105\116\104\256\102\140\202"s;
  const Image image = decode_ok(interlaced);
  EXPECT_EQ(image.height, 3);
  EXPECT_THAT(image.pixels, ElementsAre(10, 20, 30, 40, 50, 60, 70, 80, 90));
}

// Up to the checksum of the last data chunk, behind which there is no more of the picture.
TEST(Png, EveryTruncationIsAnError) {
  const std::string png = encode_png({16, 16, 8}, noise_bytes(256, 1));
  ASSERT_TRUE(decode(png).ok());
  constexpr size_t kChecksumAndEndChunkBytes = 4 + 12;
  for (size_t length = 0; length < png.size() - kChecksumAndEndChunkBytes; ++length) {
    const auto image = decode(png.substr(0, length));
    ASSERT_FALSE(image.ok()) << length;
    EXPECT_EQ(image.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(image.status().message(), HasSubstr("test.img"));
  }
}

TEST(Png, DamagedPixelsAreAnError) {
  std::string png = encode_png({16, 16, 8}, noise_bytes(256, 1));
  png[60] = static_cast<char>(png[60] ^ 0x55);
  EXPECT_FALSE(decode(png).ok());
}

// The header chunk of a picture with the checksum that belongs to it, and nothing behind it.
TEST(Png, HugeSizesAreRefusedBeforeAllocation) {
  const std::string small = encode_png({1, 1, 8}, {1});
  constexpr size_t kAfterHeader = 33;
  const std::vector<std::pair<std::string, uint32_t>> headers = {
      {big32(100000) + big32(100000) + "\x08\0\0\0\0"s, 0x8d395414u},
      {big32(0x7fffffff) + big32(0x7fffffff) + "\x08\0\0\0\0"s, 0x31a254bau},
      {big32(16000) + big32(16000) + "\x08\0\0\0\0"s, 0x64158002u},
  };
  for (const auto& [header, checksum] : headers) {
    const std::string png =
        small.substr(0, 16) + header + big32(checksum) + small.substr(kAfterHeader);
    const auto image = decode(png);
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(image.status().message(), HasSubstr("declares"));
  }
}

}  // namespace
}  // namespace tessera
