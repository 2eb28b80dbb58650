// SPDX-License-Identifier: Apache-2.0
#include "core/shape.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

constexpr int64_t kHuge = int64_t{1} << 62;

TEST(Shape, ScalarHasOneElement) {
  const Shape scalar;
  EXPECT_EQ(scalar.rank(), 0u);
  EXPECT_EQ(scalar.num_elements(), 1);
  EXPECT_EQ(scalar.to_string(), "()");
  EXPECT_TRUE(scalar.row_major_strides().empty());
}

TEST(Shape, CountsElements) {
  const Shape shape = {2, 3, 4};
  EXPECT_EQ(shape.num_elements(), 24);
  EXPECT_EQ(shape.num_elements(1, 3), 12);
  EXPECT_EQ(shape.num_elements(2, 2), 1);
  EXPECT_EQ(shape.row_major_strides(), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(shape.to_string(), "(2, 3, 4)");
  EXPECT_EQ((Shape{2, 0, 4}).num_elements(), 0);
}

TEST(Shape, CheckedCountFindsOverflowAndNegativeExtents) {
  EXPECT_EQ((Shape{2, 3}).checked_num_elements(), 6);
  EXPECT_EQ((Shape{5, 0}).checked_num_elements(), 0);
  EXPECT_EQ((Shape{kHuge, 1}).checked_num_elements(), kHuge);
  EXPECT_EQ((Shape{kHuge, 4}).checked_num_elements(), std::nullopt);
  EXPECT_EQ((Shape{kHuge, 4, 0}).checked_num_elements(), std::nullopt);
  EXPECT_EQ((Shape{0, kHuge, 4}).checked_num_elements(), std::nullopt);
  EXPECT_EQ((Shape{2, -1}).checked_num_elements(), std::nullopt);
  EXPECT_EQ((Shape{0, -1}).checked_num_elements(), std::nullopt);
}

TEST(Shape, BroadcastsLikeNumpy) {
  EXPECT_EQ(broadcast_shapes({2, 3}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({2, 1, 4}, {3, 1}), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast_shapes({}, {5}), (Shape{5}));
  EXPECT_EQ(broadcast_shapes({}, {}), Shape());
  EXPECT_EQ(broadcast_shapes({0, 3}, {1, 3}), (Shape{0, 3}));
  EXPECT_EQ(broadcast_shapes({1}, {0}), (Shape{0}));
  EXPECT_EQ(broadcast_shapes({2, 3}, {2, 4}), std::nullopt);
  EXPECT_EQ(broadcast_shapes({0}, {2}), std::nullopt);
}

TEST(Shape, NormalizesAxes) {
  EXPECT_EQ(normalize_axis(0, 3), 0u);
  EXPECT_EQ(normalize_axis(-1, 3), 2u);
  EXPECT_EQ(normalize_axis(-3, 3), 0u);
  EXPECT_EQ(normalize_axis(3, 3), std::nullopt);
  EXPECT_EQ(normalize_axis(-4, 3), std::nullopt);
  EXPECT_EQ(normalize_axis(0, 0), std::nullopt);
}

}  // namespace
}  // namespace tessera
