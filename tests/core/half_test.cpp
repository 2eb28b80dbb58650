// SPDX-License-Identifier: Apache-2.0
#include "core/half.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tessera {
namespace {

constexpr uint32_t kPatterns = 1 << 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Half, EveryPatternSurvivesTheWayThroughFloat) {
  for (uint32_t pattern = 0; pattern < kPatterns; ++pattern) {
    const auto bits = static_cast<uint16_t>(pattern);
    const float value = half_bits_to_float(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(half_bits_to_float(float_to_half_bits(value)))) << pattern;
    } else {
      ASSERT_EQ(float_to_half_bits(value), bits) << pattern;
    }
  }
}

// The value of a finite pattern from the definition of binary16.
double half_by_definition(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1f);
  const int mantissa = static_cast<int>(bits & 0x3ff);
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(Half, EveryPatternHasTheValueOfItsDefinition) {
  for (uint32_t pattern = 0; pattern < kPatterns; ++pattern) {
    const float value = half_bits_to_float(static_cast<uint16_t>(pattern));
    if ((pattern & 0x7c00) != 0x7c00) {
      ASSERT_EQ(value, half_by_definition(pattern)) << pattern;
    } else if ((pattern & 0x3ff) == 0) {
      ASSERT_EQ(value, (pattern & 0x8000) != 0 ? -kInfinity : kInfinity) << pattern;
    } else {
      ASSERT_TRUE(std::isnan(value)) << pattern;
    }
  }
}

// Between two neighbouring halves: below the middle goes down, above goes up, the middle to even.
TEST(Half, EveryGapRoundsToNearestEven) {
  for (uint32_t pattern = 0; pattern < 0x7bff; ++pattern) {
    const auto low = static_cast<uint16_t>(pattern);
    const auto high = static_cast<uint16_t>(pattern + 1);
    const float middle = (half_bits_to_float(low) + half_bits_to_float(high)) / 2;
    const uint16_t even = (pattern & 1) == 0 ? low : high;
    ASSERT_EQ(float_to_half_bits(middle), even) << pattern;
    ASSERT_EQ(float_to_half_bits(std::nextafter(middle, 0.0f)), low) << pattern;
    ASSERT_EQ(float_to_half_bits(std::nextafter(middle, kInfinity)), high) << pattern;
    ASSERT_EQ(float_to_half_bits(-middle), even | 0x8000) << pattern;
  }
}

TEST(Half, OverflowsToInfinity) {
  EXPECT_EQ(float_to_half_bits(65504.0f), 0x7bff);
  EXPECT_EQ(float_to_half_bits(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(float_to_half_bits(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half_bits(-1e30f), 0xfc00);
  EXPECT_EQ(float_to_half_bits(kInfinity), 0x7c00);
}

TEST(Half, UnderflowsToSignedZero) {
  const float smallest = std::ldexp(1.0f, -24);
  EXPECT_EQ(float_to_half_bits(smallest), 0x0001);
  EXPECT_EQ(float_to_half_bits(smallest / 2), 0x0000) << "a tie goes to even";
  EXPECT_EQ(float_to_half_bits(-smallest / 4), 0x8000);
  EXPECT_EQ(float_to_half_bits(std::numeric_limits<float>::denorm_min()), 0x0000);
  EXPECT_EQ(float_to_half_bits(0.0f), 0x0000);
  EXPECT_EQ(float_to_half_bits(-0.0f), 0x8000);
}

TEST(BFloat16, EveryPatternSurvivesTheWayThroughFloat) {
  for (uint32_t pattern = 0; pattern < kPatterns; ++pattern) {
    const auto bits = static_cast<uint16_t>(pattern);
    const float value = bfloat16_bits_to_float(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(bfloat16_bits_to_float(float_to_bfloat16_bits(value)))) << pattern;
    } else {
      ASSERT_EQ(float_to_bfloat16_bits(value), bits) << pattern;
    }
  }
}

TEST(BFloat16, EveryGapRoundsToNearestEven) {
  for (uint32_t pattern = 0; pattern < 0x7f7f; ++pattern) {
    const auto low = static_cast<uint16_t>(pattern);
    const auto high = static_cast<uint16_t>(pattern + 1);
    // Half way between two neighbours in bits is half way in value.
    const uint32_t middle = (pattern << 16) + 0x8000;
    ASSERT_EQ(float_to_bfloat16_bits(std::bit_cast<float>(middle)), (pattern & 1) == 0 ? low : high)
        << pattern;
    ASSERT_EQ(float_to_bfloat16_bits(std::bit_cast<float>(middle - 1)), low) << pattern;
    ASSERT_EQ(float_to_bfloat16_bits(std::bit_cast<float>(middle + 1)), high) << pattern;
  }
}

TEST(BFloat16, OverflowsToInfinityAndKeepsNan) {
  EXPECT_EQ(float_to_bfloat16_bits(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float_to_bfloat16_bits(-std::numeric_limits<float>::max()), 0xff80);
  // A NaN whose set bits are all cut off must not become an infinity.
  const auto low_nan = std::bit_cast<float>(0x7f800001u);
  EXPECT_TRUE(std::isnan(bfloat16_bits_to_float(float_to_bfloat16_bits(low_nan))));
}

}  // namespace
}  // namespace tessera
