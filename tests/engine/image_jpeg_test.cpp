// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <turbojpeg.h>

#include "tests/engine/image_test_helpers.h"

namespace tessera {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

// Full quality and no chroma subsampling: what comes back is within a few levels of the original.
constexpr int kTolerance = 4;

std::string encode_jpeg(const Image& image, int pixel_format, int flags = 0) {
  tjhandle handle = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): the library's type
  const int subsampling = pixel_format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_444;
  EXPECT_EQ(tjCompress2(handle, image.pixels.data(), static_cast<int>(image.width), 0,
                        static_cast<int>(image.height), pixel_format, &bytes, &size, subsampling,
                        100, flags | TJFLAG_ACCURATEDCT),
            0);
  std::string jpeg(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  tjDestroy(handle);
  return jpeg;
}

// Four 8x8 blocks of one tone each, so that a JPEG keeps them nearly as they are:
// 10 60 / 110 160 from the top left, 16 wide and 24 high (the second row has 16).
Image blocks(int64_t channels) {
  Image image = {24, 16, channels, {}};
  for (int y = 0; y < 24; ++y) {
    for (int x = 0; x < 16; ++x) {
      for (int c = 0; c < channels; ++c) {
        image.pixels.push_back(
            static_cast<uint8_t>(10 + (x >= 8 ? 50 : 0) + (y >= 8 ? 100 : 0) + 20 * c));
      }
    }
  }
  return image;
}

Image decode_ok(const std::string& jpeg) {
  auto image = decode(jpeg);
  EXPECT_TRUE(image.ok()) << image.status().message();
  return image.ok() ? *image : Image{};
}

void expect_near(const Image& got, const Image& expected) {
  ASSERT_EQ(got.height, expected.height);
  ASSERT_EQ(got.width, expected.width);
  ASSERT_EQ(got.channels, expected.channels);
  for (size_t i = 0; i < expected.pixels.size(); ++i) {
    ASSERT_NEAR(got.pixels[i], expected.pixels[i], kTolerance) << "byte " << i;
  }
}

TEST(Jpeg, GrayColourAndProgressive) {
  expect_near(decode_ok(encode_jpeg(blocks(1), TJPF_GRAY)), blocks(1));
  expect_near(decode_ok(encode_jpeg(blocks(3), TJPF_RGB)), blocks(3));
  expect_near(decode_ok(encode_jpeg(blocks(3), TJPF_RGB, TJFLAG_PROGRESSIVE)), blocks(3));
}

// Inverted ink as Adobe's programs write it: colour * black / 255.
TEST(Jpeg, CmykBecomesRgb) {
  Image cmyk = {8, 8, 4, {}};
  for (int i = 0; i < 64; ++i) cmyk.pixels.insert(cmyk.pixels.end(), {200, 100, 50, 128});
  Image rgb = {8, 8, 3, {}};
  for (int i = 0; i < 64; ++i) rgb.pixels.insert(rgb.pixels.end(), {100, 50, 25});
  expect_near(decode_ok(encode_jpeg(cmyk, TJPF_CMYK)), rgb);
}

// An APP1 segment with one entry, the orientation, in either byte order.
std::string exif_segment(int orientation, bool big_endian) {
  const auto u16 = [&](uint32_t v) { return big_endian ? big16(v) : little16(v); };
  const auto u32 = [&](uint32_t v) { return big_endian ? big32(v) : little32(v); };
  const std::string tiff = (big_endian ? "MM" : "II") + u16(42) + u32(8) + u16(1) + u16(0x0112) +
                           u16(3) + u32(1) + u16(static_cast<uint32_t>(orientation)) + u16(0) +
                           u32(0);
  const std::string body = "Exif\0\0"s + tiff;
  return "\xff\xe1" + big16(static_cast<uint32_t>(body.size() + 2)) + body;
}

std::string with_exif(const std::string& jpeg, int orientation, bool big_endian) {
  return jpeg.substr(0, 2) + exif_segment(orientation, big_endian) + jpeg.substr(2);
}

struct OrientationCase {
  int orientation;
  bool transposed;
  int top_left, top_right, bottom_left, bottom_right;  // tones of the upright picture's corners
};

// EXIF 2.3, tag 0x0112: which corner of the stored picture (10 60 / 110 160) is where.
constexpr OrientationCase kOrientations[] = {
    {1, false, 10, 60, 110, 160}, {2, false, 60, 10, 160, 110}, {3, false, 160, 110, 60, 10},
    {4, false, 110, 160, 10, 60}, {5, true, 10, 110, 60, 160},  {6, true, 110, 10, 160, 60},
    {7, true, 160, 60, 110, 10},  {8, true, 60, 160, 10, 110},
};

TEST(Jpeg, OrientationIsApplied) {
  const std::string stored = encode_jpeg(blocks(1), TJPF_GRAY);
  for (const OrientationCase& c : kOrientations) {
    for (const bool big_endian : {false, true}) {
      const Image image = decode_ok(with_exif(stored, c.orientation, big_endian));
      ASSERT_EQ(image.height, c.transposed ? 16 : 24) << c.orientation;
      ASSERT_EQ(image.width, c.transposed ? 24 : 16) << c.orientation;
      const auto last_row = static_cast<size_t>((image.height - 1) * image.width);
      const auto last_column = static_cast<size_t>(image.width - 1);
      EXPECT_NEAR(image.pixels[0], c.top_left, kTolerance) << c.orientation;
      EXPECT_NEAR(image.pixels[last_column], c.top_right, kTolerance) << c.orientation;
      EXPECT_NEAR(image.pixels[last_row], c.bottom_left, kTolerance) << c.orientation;
      EXPECT_NEAR(image.pixels[last_row + last_column], c.bottom_right, kTolerance);
    }
  }
}

TEST(Jpeg, OrientationOutOfRangeIsUpright) {
  const std::string stored = encode_jpeg(blocks(1), TJPF_GRAY);
  for (const int orientation : {0, 9, 65535}) {
    expect_near(decode_ok(with_exif(stored, orientation, true)), blocks(1));
  }
}

TEST(Jpeg, TruncatedFilesAreRefused) {
  const std::string jpeg = encode_jpeg(noise_image(64, 64, 3, 1), TJPF_RGB);
  for (const size_t length :
       {size_t{3}, size_t{20}, size_t{200}, jpeg.size() / 2, jpeg.size() - 40}) {
    const auto image = decode(jpeg.substr(0, length));
    ASSERT_FALSE(image.ok()) << length;
    EXPECT_EQ(image.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(image.status().message(), HasSubstr("test.img: broken JPEG"));
  }
}

TEST(Jpeg, HugeSizesAreRefusedBeforeAllocation) {
  std::string jpeg = encode_jpeg(blocks(1), TJPF_GRAY);
  const size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xf0\x00\xf0\x00"s);  // height and width: 61440
  const auto image = decode(jpeg);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(image.status().message(), HasSubstr("limit"));
}

}  // namespace
}  // namespace tessera
