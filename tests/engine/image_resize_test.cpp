// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/image/image.h"
#include "tests/engine/image_test_helpers.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

struct ResizeCase {
  int64_t height, width, channels, new_height, new_width;
  ResizeMode mode;
  uint32_t seed;
  std::vector<uint8_t> expected;
};

// Expected pixels: PIL.Image.fromarray(noise).resize((new_width, new_height), mode), Pillow 12.0
// (10.4 and 11.3 give the same).
const std::vector<ResizeCase> kResizeCases = {
    {5, 7, 1, 3, 3, ResizeMode::kBilinear, 1, {163, 151, 164, 130, 127, 125, 102, 107, 102}},
    {3, 4, 1, 5, 7, ResizeMode::kBilinear, 2, {140, 102, 41,  144, 245, 164, 114, 179, 153,
                                               111, 134, 162, 158, 155, 237, 229, 217, 120,
                                               38,  148, 217, 142, 126, 101, 98,  99,  98,
                                               98,  78,  57,  23,  84,  140, 65,  19}},
    {9,
     4,
     1,
     2,
     6,
     ResizeMode::kBilinear,
     3,
     {93, 99, 111, 140, 137, 126, 118, 115, 120, 161, 171, 171}},
    {4,
     5,
     3,
     2,
     3,
     ResizeMode::kBilinear,
     4,
     {143, 135, 153, 142, 147, 62, 108, 83, 104, 158, 160, 118, 161, 159, 64, 80, 125, 92}},
    {16, 16, 1, 3, 2, ResizeMode::kBilinear, 5, {128, 114, 130, 117, 110, 110}},
    {1, 6, 1, 3, 2, ResizeMode::kBilinear, 6, {185, 127, 185, 127, 185, 127}},
    {5, 7, 1, 3, 3, ResizeMode::kBicubic, 1, {168, 152, 165, 132, 124, 124, 98, 106, 102}},
    {3, 4, 1, 5, 7, ResizeMode::kBicubic, 2, {141, 89,  17,  149, 255, 166, 93,  187, 156,
                                              107, 133, 170, 164, 158, 239, 238, 222, 106,
                                              27,  151, 232, 142, 125, 98,  93,  95,  93,
                                              93,  71,  41,  3,   87,  156, 56,  0}},
    {9,
     4,
     1,
     2,
     6,
     ResizeMode::kBicubic,
     3,
     {91, 96, 111, 144, 137, 122, 121, 110, 114, 165, 177, 171}},
    {4,
     5,
     3,
     2,
     3,
     ResizeMode::kBicubic,
     4,
     {144, 135, 157, 140, 147, 54, 110, 79, 106, 163, 162, 118, 166, 164, 61, 74, 128, 89}},
    {16, 16, 1, 3, 2, ResizeMode::kBicubic, 5, {129, 113, 131, 117, 107, 110}},
    {6, 1, 1, 2, 3, ResizeMode::kBicubic, 6, {189, 189, 189, 124, 124, 124}},
};

TEST(ImageResize, EqualsPillow) {
  for (const ResizeCase& c : kResizeCases) {
    const Image image = noise_image(c.height, c.width, c.channels, c.seed);
    const Image resized = resize_image(image, c.new_height, c.new_width, c.mode);
    EXPECT_EQ(resized.height, c.new_height);
    EXPECT_EQ(resized.width, c.new_width);
    EXPECT_THAT(resized.pixels, ElementsAreArray(c.expected)) << "seed " << c.seed;
  }
}

TEST(ImageResize, SameSizeIsTheSamePicture) {
  const Image image = noise_image(5, 3, 3, 1);
  for (const ResizeMode mode : {ResizeMode::kBilinear, ResizeMode::kBicubic}) {
    EXPECT_EQ(resize_image(image, 5, 3, mode).pixels, image.pixels);
  }
}

TEST(ImageResize, OneColourStaysThatColour) {
  Image image = noise_image(13, 29, 3, 1);
  std::fill(image.pixels.begin(), image.pixels.end(), uint8_t{137});
  for (const ResizeMode mode : {ResizeMode::kBilinear, ResizeMode::kBicubic}) {
    for (const int64_t side : {1, 7, 28, 64}) {
      const Image resized = resize_image(image, side, side + 1, mode);
      EXPECT_THAT(resized.pixels, ::testing::Each(137));
    }
  }
}

struct ShortestCase {
  int64_t height, width, resize_size, crop_height, crop_width;
  uint32_t seed;
  std::vector<uint8_t> expected;
};

// Expected pixels: torchvision's Resize(resize_size) and CenterCrop((crop_height, crop_width)).
const std::vector<ShortestCase> kShortestCases = {
    {7, 10, 5, 3, 3, 7, {153, 116, 107, 163, 116, 60, 97, 129, 128}},
    {10, 7, 5, 4, 3, 8, {167, 146, 80, 141, 135, 171, 115, 165, 165, 122, 134, 139}},
    {8, 8, 5, 2, 2, 9, {151, 154, 132, 118}},
    {9, 16, 4, 4, 3, 10, {176, 161, 121, 112, 116, 93, 112, 91, 164, 130, 103, 106}},
};

Preprocess gray_preprocess(int64_t height, int64_t width, ResizeMode mode) {
  Preprocess preprocess;
  preprocess.height = height;
  preprocess.width = width;
  preprocess.color = ColorMode::kGray;
  preprocess.resize = mode;
  return preprocess;
}

TEST(FitImage, ShortestSideAndCentreCropAsTorchvision) {
  for (const ShortestCase& c : kShortestCases) {
    Preprocess preprocess = gray_preprocess(c.crop_height, c.crop_width, ResizeMode::kShortest);
    preprocess.resize_size = c.resize_size;
    std::vector<uint8_t> out(c.expected.size());
    const Status status = fit_image(noise_image(c.height, c.width, 1, c.seed), preprocess, out);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_THAT(out, ElementsAreArray(c.expected)) << "seed " << c.seed;
  }
}

TEST(FitImage, ShortestSideSmallerThanTheCropIsRefused) {
  Preprocess preprocess = gray_preprocess(8, 8, ResizeMode::kShortest);
  preprocess.resize_size = 6;
  std::vector<uint8_t> out(64);
  const Status status = fit_image(noise_image(9, 9, 1, 1), preprocess, out);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("6x6"));
}

// A very long picture would need terabytes when its shorter side grows.
TEST(FitImage, ShortestSideOfAnExtremeShapeIsRefused) {
  Preprocess preprocess = gray_preprocess(224, 224, ResizeMode::kShortest);
  preprocess.resize_size = 256;
  std::vector<uint8_t> out(224 * 224);
  const Status status = fit_image(noise_image(1, 1 << 22, 1, 1), preprocess, out);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
}

TEST(FitImage, NoResizeNamesBothSizes) {
  std::vector<uint8_t> out(12);
  const Preprocess preprocess = gray_preprocess(3, 4, ResizeMode::kNone);
  const Image same = noise_image(3, 4, 1, 1);
  ASSERT_TRUE(fit_image(same, preprocess, out).ok());
  EXPECT_EQ(out, same.pixels);
  const Status status = fit_image(noise_image(4, 3, 1, 1), preprocess, out);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("3x4"));
  EXPECT_THAT(status.message(), HasSubstr("4x3"));
}

// (299 r + 587 g + 114 b) / 1000 in 16 bits, rounded: Pillow's convert("L").
TEST(FitImage, ColoursAreConvertedAsPillowDoes) {
  const Image rgb = {1, 4, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30}};
  std::vector<uint8_t> gray(4);
  ASSERT_TRUE(fit_image(rgb, gray_preprocess(1, 4, ResizeMode::kNone), gray).ok());
  EXPECT_THAT(gray, ElementsAre(76, 150, 29, 18));

  Preprocess preprocess = gray_preprocess(1, 4, ResizeMode::kNone);
  preprocess.color = ColorMode::kBgr;
  std::vector<uint8_t> bgr(12);
  ASSERT_TRUE(fit_image(rgb, preprocess, bgr).ok());
  EXPECT_THAT(bgr, ElementsAre(0, 0, 255, 0, 255, 0, 255, 0, 0, 30, 20, 10));

  preprocess.color = ColorMode::kRgb;
  const Image one_channel = {1, 4, 1, {1, 2, 3, 4}};
  ASSERT_TRUE(fit_image(one_channel, preprocess, bgr).ok());
  EXPECT_THAT(bgr, ElementsAre(1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4));
}

TEST(FitImage, AlphaIsDropped) {
  const Image rgba = {1, 2, 4, {10, 20, 30, 0, 40, 50, 60, 255}};
  Preprocess preprocess = gray_preprocess(1, 2, ResizeMode::kNone);
  preprocess.color = ColorMode::kRgb;
  std::vector<uint8_t> out(6);
  ASSERT_TRUE(fit_image(rgba, preprocess, out).ok());
  EXPECT_THAT(out, ElementsAre(10, 20, 30, 40, 50, 60));
}

TEST(FitImage, PictureInTheAlphaChannelAloneIsRefused) {
  const Image hidden = {1, 2, 4, {255, 255, 255, 0, 255, 255, 255, 200}};
  const Image blank = {1, 2, 4, {255, 255, 255, 9, 255, 255, 255, 9}};
  std::vector<uint8_t> out(2);
  const Preprocess preprocess = gray_preprocess(1, 2, ResizeMode::kNone);
  const Status status = fit_image(hidden, preprocess, out);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("alpha"));
  EXPECT_TRUE(fit_image(blank, preprocess, out).ok());
}

TEST(Preprocess, ToStringStatesSizeColourResizeAndFormula) {
  Preprocess preprocess = gray_preprocess(28, 28, ResizeMode::kBilinear);
  preprocess.mean.fill(0.286f);
  preprocess.std.fill(0.353f);
  EXPECT_EQ(preprocess.to_string(),
            "28x28 gray, bilinear resize, (x * 0.00392157 - 0.286) / 0.353");
  preprocess = Preprocess();
  preprocess.scale = 1.0f;
  EXPECT_EQ(preprocess.to_string(), "any size RGB, bilinear resize, x");
  preprocess.height = 3;
  preprocess.width = 5;
  preprocess.resize = ResizeMode::kShortest;
  preprocess.resize_size = 6;
  preprocess.mean = {1.0f, 2.0f, 3.0f, 0.0f};
  preprocess.nhwc = true;
  EXPECT_EQ(preprocess.to_string(),
            "5x3 RGB, shorter side to 6 (bilinear), centre crop, x - [1, 2, 3], NHWC");
}

}  // namespace
}  // namespace tessera
