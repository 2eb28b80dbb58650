// SPDX-License-Identifier: Apache-2.0
#include "core/math.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Math, CeilDivRoundsUp) {
  EXPECT_EQ(ceil_div(0, 8), 0);
  EXPECT_EQ(ceil_div(1, 8), 1);
  EXPECT_EQ(ceil_div(8, 8), 1);
  EXPECT_EQ(ceil_div(9, 8), 2);
}

TEST(Math, RoundUpGivesMultiples) {
  EXPECT_EQ(round_up(0, 16), 0);
  EXPECT_EQ(round_up(15, 16), 16);
  EXPECT_EQ(round_up(16, 16), 16);
  EXPECT_EQ(round_up(17, 16), 32);
}

TEST(Math, CheckedMultiplyFindsOverflow) {
  EXPECT_EQ(checked_multiply(3, 5), 15);
  EXPECT_EQ(checked_multiply(0, kMax), 0);
  EXPECT_EQ(checked_multiply(kMax, 0), 0);
  EXPECT_EQ(checked_multiply(kMax, 1), kMax);
  EXPECT_EQ(checked_multiply(int64_t{1} << 31, int64_t{1} << 31), int64_t{1} << 62);
  EXPECT_EQ(checked_multiply(int64_t{1} << 32, int64_t{1} << 31), std::nullopt);
  EXPECT_EQ(checked_multiply(kMax / 2 + 1, 2), std::nullopt);
}

TEST(Math, CheckedAddFindsOverflow) {
  EXPECT_EQ(checked_add(kMax - 1, 1), kMax);
  EXPECT_EQ(checked_add(kMax, 1), std::nullopt);
  EXPECT_EQ(checked_add(kMax, kMax), std::nullopt);
}

}  // namespace
}  // namespace tessera
