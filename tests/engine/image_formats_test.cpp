// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/image/decoder.h"
#include "engine/image/image.h"
#include "tests/engine/image_test_helpers.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// One error with the file's name in front.
void expect_refused(const std::string& content, StatusCode code, const std::string& part) {
  const auto image = decode(content);
  ASSERT_FALSE(image.ok()) << part;
  EXPECT_EQ(image.status().code(), code) << image.status().message();
  EXPECT_THAT(image.status().message(), StartsWith("test.img: "));
  EXPECT_THAT(image.status().message(), HasSubstr(part));
}

std::vector<uint8_t> pixels_of(const std::string& content) {
  const auto image = decode(content);
  EXPECT_TRUE(image.ok()) << image.status().message();
  return image.ok() ? image->pixels : std::vector<uint8_t>();
}

TEST(ImageFormats, WhatIsNoPictureIsSaidSo) {
  expect_refused("", StatusCode::kInvalidArgument, "empty");
  expect_refused("hello, world", StatusCode::kInvalidArgument, "not a picture");
  expect_refused(std::string(100, '\0'), StatusCode::kInvalidArgument, "not a picture");
  expect_refused("P", StatusCode::kInvalidArgument, "not a picture");
}

TEST(ImageFormats, KnownFormatsWithoutDecoderAreNamed) {
  expect_refused("GIF89a....", StatusCode::kUnsupported, "GIF");
  expect_refused("II*\0...."s, StatusCode::kUnsupported, "TIFF");
  expect_refused("MM\0*...."s, StatusCode::kUnsupported, "TIFF");
  expect_refused("RIFF....WEBPVP8 ", StatusCode::kUnsupported, "WebP");
  expect_refused(
      "\0\0\0\x20"
      "ftypavif...."s,
      StatusCode::kUnsupported, "AVIF");
  expect_refused(
      "\0\0\0\x20"
      "ftypheic...."s,
      StatusCode::kUnsupported, "HEIF");
}

TEST(ImageFormats, FilesAreToldApartByContentNotName) {
  const TemporaryFolder folder;
  const std::string path = folder.path("picture.png");
  write_file(path, "P5 2 1 255 \x07\x09"s);
  const auto image = read_image_file(path);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_THAT(image->pixels, ElementsAre(7, 9));
}

TEST(ImageFormats, MissingFileAndFolderAreNotFound) {
  const TemporaryFolder folder;
  for (const std::string& path : {folder.path("none.png"), folder.path()}) {
    const auto image = read_image_file(path);
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.status().code(), StatusCode::kNotFound);
    EXPECT_THAT(image.status().message(), HasSubstr(path));
  }
}

TEST(Pnm, TextFormats) {
  EXPECT_THAT(pixels_of("P1\n# a comment\n3 2\n1 0 1\n010"), ElementsAre(0, 255, 0, 255, 0, 255));
  EXPECT_THAT(pixels_of("P2 2 2 # width and height\n255\n0 1\n254 255"),
              ElementsAre(0, 1, 254, 255));
  EXPECT_THAT(pixels_of("P3 1 2 15\n0 5 15 # row\n1 2 3"), ElementsAre(0, 85, 255, 17, 34, 51));
}

TEST(Pnm, BinaryFormats) {
  // 9 pixels a row: two bytes, of which 7 bits are padding.
  EXPECT_THAT(pixels_of("P4 9 2\n\x80\x80\x00\x7f"s),
              ElementsAre(0, 255, 255, 255, 255, 255, 255, 255, 0,  //
                          255, 255, 255, 255, 255, 255, 255, 255, 255));
  EXPECT_THAT(pixels_of("P5\n2 1\n255\n\n\xff"), ElementsAre(10, 255));
  EXPECT_THAT(pixels_of("P6 1 1 255 abc"), ElementsAre('a', 'b', 'c'));
}

TEST(Pnm, RangesAreScaledToBytes) {
  EXPECT_THAT(pixels_of("P5 3 1 65535 \x12\x34\x00\xff\xff\xff"s), ElementsAre(0x12, 0, 255));
  EXPECT_THAT(pixels_of("P5 2 1 1023 \x03\xff\x02\x00"s), ElementsAre(255, 128));
  EXPECT_THAT(pixels_of("P2 3 1 1 0 1 0"), ElementsAre(0, 255, 0));
}

TEST(Pnm, BrokenFilesAreRefused) {
  for (const char* text : {"P5", "P5 2", "P5 2 2", "P5 2 2 255", "P5 2 2 255 abc",
                           "P2 2 2 255 1 2 3", "P1 2 2 101", "P6 1 1 255 ab", "P4 9 2 abc"}) {
    expect_refused(text, StatusCode::kInvalidArgument, "ends early");
  }
  expect_refused("P5 2 x 255 abcd", StatusCode::kInvalidArgument, "neither a number");
  expect_refused("P5 -2 2 255 abcd", StatusCode::kInvalidArgument, "neither a number");
  expect_refused("P5 0 2 255 abcd", StatusCode::kInvalidArgument, "empty");
  expect_refused("P5 2 2 0 abcd", StatusCode::kInvalidArgument, "largest value");
  expect_refused("P5 2 2 65536 abcd", StatusCode::kInvalidArgument, "largest value");
  expect_refused("P2 1 1 7 8", StatusCode::kInvalidArgument, "above the largest value");
  expect_refused("P1 2 1 1 2", StatusCode::kInvalidArgument, "above the largest value");
}

TEST(Pnm, HugeSizesAreRefusedBeforeAllocation) {
  expect_refused("P5 100000 100000 255 x", StatusCode::kInvalidArgument, "limit");
  expect_refused("P5 99999999999999999999 1 255 x", StatusCode::kInvalidArgument, "too large");
  expect_refused("P5 16384 16384 255 x", StatusCode::kInvalidArgument, "ends early");
}

// A BMP file with the 40-byte information header.
std::string bmp_bytes(int32_t width, int32_t height, uint32_t bits, const std::string& palette,
                      const std::string& rows) {
  const auto offset = static_cast<uint32_t>(54 + palette.size());
  return "BM" + little32(offset + static_cast<uint32_t>(rows.size())) + little32(0) +
         little32(offset) + little32(40) + little32(static_cast<uint32_t>(width)) +
         little32(static_cast<uint32_t>(height)) + little16(1) + little16(bits) + little32(0) +
         little32(static_cast<uint32_t>(rows.size())) + little32(2835) + little32(2835) +
         little32(static_cast<uint32_t>(palette.size() / 4)) + little32(0) + palette + rows;
}

class Bmp : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_image_decoder("bmp") == nullptr) GTEST_SKIP() << "this build has no stb_image";
  }
};

TEST_F(Bmp, RowsFromTheBottomBlueFirst) {
  const std::string rows = "\x01\x02\x03\x04\x05\x06\0\0\x07\x08\x09\x0a\x0b\x0c\0\0"s;
  const auto image = decode(bmp_bytes(2, 2, 24, "", rows));
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ(image->channels, 3);
  EXPECT_THAT(image->pixels, ElementsAre(9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4));
}

TEST_F(Bmp, NegativeHeightMeansRowsFromTheTop) {
  EXPECT_THAT(pixels_of(bmp_bytes(1, -2, 24, "", "\x01\x02\x03\0\x04\x05\x06\0"s)),
              ElementsAre(3, 2, 1, 6, 5, 4));
}

TEST_F(Bmp, PaletteIsExpanded) {
  EXPECT_THAT(pixels_of(bmp_bytes(2, 1, 8, "\x01\x02\x03\0\x0a\x0b\x0c\0"s, "\x01\x00\0\0"s)),
              ElementsAre(12, 11, 10, 3, 2, 1));
}

TEST_F(Bmp, BrokenFilesAreRefused) {
  const std::string whole = bmp_bytes(2, 2, 24, "", std::string(16, 'x'));
  for (const size_t length : {2, 13, 25, 40, 54, 69}) {
    expect_refused(whole.substr(0, length), StatusCode::kInvalidArgument, "broken BMP");
  }
  expect_refused(bmp_bytes(100000, 100000, 24, "", "x"), StatusCode::kInvalidArgument, "limit");
  expect_refused(bmp_bytes(16000, 16000, 24, "", "x"), StatusCode::kInvalidArgument, "broken BMP");
  expect_refused(bmp_bytes(0, 2, 24, "", std::string(16, 'x')), StatusCode::kInvalidArgument,
                 "empty");
  expect_refused(bmp_bytes(2, std::numeric_limits<int32_t>::min(), 24, "", "x"),
                 StatusCode::kInvalidArgument, "limit");
}

}  // namespace
}  // namespace tessera
