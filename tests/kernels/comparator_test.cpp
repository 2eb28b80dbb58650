// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/comparator.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "tests/kernels/test_data.h"

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Compares one float32 element.
bool agrees(double actual, double expected, double tolerance) {
  const std::vector<double> value = {expected};
  const std::vector<double> allowed = {tolerance};
  return !compare(encode({actual}, DType::kF32), DType::kF32, {value, allowed}, {1});
}

TEST(Comparator, HonoursTheTolerance) {
  EXPECT_TRUE(agrees(1.5, 1.5, 0.0));
  EXPECT_TRUE(agrees(1.5, 1.25, 0.25));
  EXPECT_FALSE(agrees(1.5, 1.25, 0.24));
  EXPECT_FALSE(agrees(1.5, 1.25, 0.0));
}

TEST(Comparator, NanAgreesWithNanOnly) {
  EXPECT_TRUE(agrees(kNan, kNan, 0.0));
  EXPECT_FALSE(agrees(kNan, 0.0, 1e9));
  EXPECT_FALSE(agrees(kNan, kInfinity, 1e9));
  EXPECT_FALSE(agrees(0.0, kNan, 1e9));
  EXPECT_FALSE(agrees(0.5, 0.0, kNan));
}

TEST(Comparator, InfinityAgreesWithTheSameInfinityOnly) {
  EXPECT_TRUE(agrees(kInfinity, kInfinity, 0.0));
  EXPECT_FALSE(agrees(kInfinity, -kInfinity, kInfinity));
  EXPECT_FALSE(agrees(3e38, kInfinity, 1e38));
  EXPECT_FALSE(agrees(kInfinity, 3e38, 1e30));
  EXPECT_TRUE(agrees(kInfinity, 1e39, 0.0)) << "1e39 is infinite in float32";
  EXPECT_FALSE(agrees(-kInfinity, 1e39, 0.0));
}

// 65504 is the largest number of float16; from 65520 on a value rounds to infinity.
TEST(Comparator, NextToTheLargestNumberInfinityIsAMatterOfTheTolerance) {
  const auto agrees_in_half = [](double actual, double expected, double tolerance) {
    const std::vector<double> value = {expected};
    const std::vector<double> allowed = {tolerance};
    return !compare(encode({actual}, DType::kF16), DType::kF16, {value, allowed}, {1});
  };
  EXPECT_TRUE(agrees_in_half(65504, 65519, 15));
  EXPECT_TRUE(agrees_in_half(kInfinity, 65519, 1));
  EXPECT_FALSE(agrees_in_half(kInfinity, 65518, 1));
  EXPECT_FALSE(agrees_in_half(-kInfinity, 65519, 1));
  EXPECT_TRUE(agrees_in_half(65504, 65521, 17));
  EXPECT_FALSE(agrees_in_half(65504, 65540, 16)) << "all of 65524 to 65556 is infinite";
  EXPECT_FALSE(agrees_in_half(kInfinity, 60000, kNan));
}

TEST(Comparator, SignOfZeroDoesNotMatter) {
  EXPECT_TRUE(agrees(-0.0, 0.0, 0.0));
  EXPECT_TRUE(agrees(0.0, -0.0, 0.0));
}

TEST(Comparator, ReportsTheWorstElement) {
  const std::vector<double> expected = {1, 2, 3, 4, 5, 6};
  const std::vector<double> tolerance(6, 0.125);
  const Bytes actual = encode({1, 2.25, 3, 4, 7, 6}, DType::kF32);
  const auto message = compare(actual, DType::kF32, {expected, tolerance}, {2, 3});
  ASSERT_TRUE(message);
  EXPECT_THAT(*message, HasSubstr("2 of 6 elements differ"));
  EXPECT_THAT(*message, HasSubstr("worst at (1, 1): 7 instead of 5"));
  EXPECT_THAT(*message, HasSubstr("error / tolerance 16"));
}

TEST(Comparator, RefusesAWrongSize) {
  const std::vector<double> two = {1, 2};
  const Bytes one = encode({1}, DType::kF32);
  EXPECT_TRUE(compare(one, DType::kF32, {two, two}, {2}));
  EXPECT_TRUE(compare_exactly(one, encode({1, 2}, DType::kF32), DType::kF32, {2}));
  EXPECT_TRUE(compare(encode({1, 2}, DType::kF64), DType::kF32, {two, two}, {2}))
      << "a result of another dtype";
}

TEST(Comparator, ExactlyMeansEveryBitExceptInNan) {
  const auto differs = [](double a, double b, DType dtype) {
    return compare_exactly(encode({a}, dtype), encode({b}, dtype), dtype, {1}).has_value();
  };
  EXPECT_FALSE(differs(1.5, 1.5, DType::kF32));
  EXPECT_TRUE(differs(1.5, std::nextafter(1.5f, 2.0f), DType::kF32));
  EXPECT_TRUE(differs(0.0, -0.0, DType::kF32));
  EXPECT_FALSE(differs(kNan, -kNan, DType::kF16));
  EXPECT_TRUE(differs(kNan, 1.0, DType::kF16));
  const Bytes a = {std::byte{1}, std::byte{2}};
  const Bytes b = {std::byte{1}, std::byte{3}};
  const auto message = compare_exactly(a, b, DType::kU8, {2});
  ASSERT_TRUE(message);
  EXPECT_THAT(*message, HasSubstr("(1): 2 instead of exactly 3"));
}

TEST(Comparator, CoordinatesAreRowMajor) {
  EXPECT_EQ(coordinates(0, {2, 3, 4}), "(0, 0, 0)");
  EXPECT_EQ(coordinates(23, {2, 3, 4}), "(1, 2, 3)");
  EXPECT_EQ(coordinates(6, {2, 3, 4}), "(0, 1, 2)");
  EXPECT_EQ(coordinates(0, {}), "()");
}

}  // namespace
}  // namespace tessera::testing
