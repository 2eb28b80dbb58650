// SPDX-License-Identifier: Apache-2.0
// The error bound of Winograd's algorithm, against the algorithm itself in float32.
#include "kernels/accuracy/winograd.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "kernels/accuracy/truth.h"

namespace tessera::testing {
namespace {

ConvProblem padded_image(int64_t extent) {
  ConvProblem p;
  p.N = p.C = p.K = 1;
  p.H = p.W = p.P = p.Q = extent;
  p.R = p.S = 3;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
  return p;
}

Bytes constant(int64_t count, double value) {
  return encode(std::vector<double>(static_cast<size_t>(count), value), DType::kF32);
}

// With F(2 x 2), an infinity in the corner of an 8 x 8 image belongs to the patch of one tile only.
// Its outputs (0, 0), (0, 1), ... are unspecified where the transforms mix it in; no other tile is.
TEST(WinogradTruth, AnInfinityReachesItsOwnTileOnly) {
  const ConvProblem p = padded_image(8);
  std::vector<double> src(64, 1.0);
  src[0] = std::numeric_limits<double>::infinity();
  const auto truth = compute_truth(p, {encode(src, DType::kF32), constant(9, 1), {}, {}}, 2);
  ASSERT_TRUE(truth.ok());
  EXPECT_EQ(truth->unspecified, (std::vector<size_t>{0, 1, 8, 9}));
  const Bytes result = constant(64, -5);
  EXPECT_EQ(truth->value_for(result, DType::kF32)[9], -5);
  EXPECT_EQ(truth->value_for(result, DType::kF32)[10], 9);
}

TEST(WinogradTruth, ADirectSumPromisesEveryElement) {
  const ConvProblem p = padded_image(8);
  const auto truth = compute_truth(p, {constant(64, 1), constant(9, 1), {}, {}});
  ASSERT_TRUE(truth.ok());
  EXPECT_TRUE(truth->unspecified.empty());
}

// The one product of each transformed element is at least what the direct sum has, and the larger
// tile has the larger coefficients.
TEST(WinogradTruth, MagnitudesGrowWithTheTile) {
  const ConvProblem p = padded_image(8);
  const std::vector<std::vector<double>> values = {
      std::vector<double>(64, 1), std::vector<double>(9, 1), {}, {}};
  const std::vector<double> small = winograd_magnitudes(p, 2, values);
  const std::vector<double> large = winograd_magnitudes(p, 4, values);
  for (size_t i = 0; i < small.size(); ++i) {
    EXPECT_GE(small[i], 4) << i;  // of the 9 products 4 at least are inside
    EXPECT_GT(large[i], small[i]) << i;
    EXPECT_LT(large[i], 1e4) << i;
  }
}

// Y = A^T ((G g G^T) .* (B^T d B)) A is the direct sum, in exact arithmetic.
template <int kOutputs>
void expect_identity() {
  using W = Winograd<kOutputs>;
  for (int tap = 0; tap < 3; ++tap) {
    for (int i = 0; i < kOutputs; ++i) {
      for (int a = 0; a < W::kTile; ++a) {
        double y =
            0;  // of output i, for a filter of 1 at `tap` and src of 1 at `a`, one-dimensional
        for (int t = 0; t < W::kTile; ++t) {
          y += W::output(i, t) * W::filter(t, tap) * W::input(t, a);
        }
        EXPECT_NEAR(y, a == i + tap ? 1.0 : 0.0, 1e-14) << tap << " " << i << " " << a;
      }
    }
  }
}

TEST(Winograd, TransformsAreAConvolution) {
  expect_identity<2>();
  expect_identity<4>();
}

}  // namespace
}  // namespace tessera::testing
