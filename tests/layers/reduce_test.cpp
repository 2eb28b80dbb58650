// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/reduce.h"

#include "kernels/problem/pool.h"
#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

TEST(ReduceLayer, ShapesAtEachOpset) {
  const auto attribute = [](std::vector<int64_t> axes) {
    return TestNode("ReduceMean", 13).input({2, 3, 4, 5}).attribute("axes", ints(axes));
  };
  expect_shape(attribute({2, 3}), {2, 3, 1, 1});
  expect_shape(attribute({-1, -2}).attribute("keepdims", 0), {2, 3});
  expect_shape(TestNode("ReduceMean", 13).input({2, 3}), {1, 1});
  expect_shape(TestNode("ReduceMean", 18).input({2, 3}).attribute("keepdims", 0), {});
  expect_shape(TestNode("ReduceMean", 18).input({2, 3, 4}).constant(int64_list({2})), {2, 3, 1});
  const TestNode identity =
      TestNode("ReduceMean", 18).input({2, 3}).attribute("noop_with_empty_axes", 1);
  expect_shape(identity, {2, 3});
  EXPECT_EQ(aliased_input(identity), 0);
  expect_shape(TestNode("ReduceMean", 13).input({}), {});
}

TEST(ReduceLayer, MeanOverTheLastAxesIsAnAveragePool) {
  const auto problem = lowered_problem<PoolProblem>(
      TestNode("ReduceMean", 13).input({2, 3, 4, 5}).attribute("axes", ints({2, 3})));
  PoolProblem expected;
  expected.kind = PoolKind::kAverage;
  expected.N = 2, expected.C = 3, expected.H = 4, expected.W = 5;
  expected.R = 4, expected.S = 5, expected.P = 1, expected.Q = 1;
  EXPECT_EQ(problem, expected);
  const Tensor x = Tensor::from_values<float>({2, 3}, {1, 2, 6, -1, 0, 1});
  EXPECT_THAT(run_floats(TestNode("ReduceMean", 18).constant(x).constant(int64_list({1}))),
              ElementsAre(3.0f, 0.0f));
  EXPECT_THAT(run_floats(TestNode("ReduceMean", 18).constant(x)), ElementsAre(1.5f));
}

TEST(ReduceLayer, Refuses) {
  const auto with_axes = [](std::vector<int64_t> axes) {
    return TestNode("ReduceMean", 13).input({2, 3, 4, 5}).attribute("axes", ints(axes));
  };
  expect_error(with_axes({0, 2}), StatusCode::kUnsupported,
               {"axes (0, 2)", "only neighbouring axes can be reduced"});
  expect_error(with_axes({4}), StatusCode::kInvalidModel, {"axis 4", "[-4, 3]"});
  expect_error(with_axes({3, -1}), StatusCode::kInvalidModel, {"axis 3", "more than once"});
  expect_error(TestNode("ReduceMean", 18).input({2, 3}).input({1}, DType::kI64),
               StatusCode::kUnsupported, {"input 'axes'", "must be a constant"});
  expect_error(TestNode("ReduceMean", 18).input({2, 3}).attribute("axes", ints({1})),
               StatusCode::kInvalidModel, {"'axes'"});
  expect_error(TestNode("ReduceMean", 13).input({2, 0}), StatusCode::kInvalidModel,
               {"no elements to average along axis 1"});
  expect_error(TestNode("ReduceMean", 13).input({2, 3}, DType::kI64), StatusCode::kUnsupported,
               {"only float32"});
}

TEST(ReduceLayer, SumHasItsAxesAsInputFromOpset13) {
  expect_shape(TestNode("ReduceSum", 11).input({2, 3, 4}).attribute("axes", ints({1})), {2, 1, 4});
  expect_shape(TestNode("ReduceSum", 13).input({2, 3, 4}).constant(int64_list({1})), {2, 1, 4});
  expect_error(TestNode("ReduceMax", 13).input({2, 3}).constant(int64_list({1})),
               StatusCode::kInvalidModel, {"takes at most 1"});
}

TEST(ReduceLayer, AxesBecomeOuterAxisInner) {
  const auto problem = [](Shape shape, std::vector<int64_t> axes) {
    return lowered_problem<ReduceProblem>(
        TestNode("ReduceMax", 18).input(std::move(shape)).constant(int64_list(axes)));
  };
  const auto expected = [](int64_t outer, int64_t axis, int64_t inner) {
    return ReduceProblem{ReduceKind::kMax, DType::kF32, outer, axis, inner};
  };
  EXPECT_EQ(problem({2, 3, 4, 5}, {1, 2}), expected(2, 12, 5));
  EXPECT_EQ(problem({2, 3, 4, 5}, {-1}), expected(24, 5, 1));
  EXPECT_EQ(problem({2, 1, 4, 5}, {0, 2}), expected(1, 8, 5)) << "an axis of extent 1 between";
  EXPECT_EQ(problem({2, 0}, {1}), expected(2, 0, 1));
  EXPECT_EQ(lowered_problem<ReduceProblem>(TestNode("ReduceL2", 18).input({})),
            (ReduceProblem{ReduceKind::kL2, DType::kF32, 1, 1, 1}));
}

// The operator over the columns of one small matrix.
std::vector<float> reduced(const std::string& op_type) {
  const Tensor x = Tensor::from_values<float>({2, 3}, {1, -2, 4, 3, 0.5f, -1});
  return run_floats(TestNode(op_type, 18).constant(x).constant(int64_list({1})));
}

TEST(ReduceSumLayer, Values) { EXPECT_THAT(reduced("ReduceSum"), ElementsAre(3.0f, 2.5f)); }
TEST(ReduceMeanLayer, Values) {
  EXPECT_THAT(reduced("ReduceMean"), ElementsAre(1.0f, FloatEq(2.5f / 3)));
}
TEST(ReduceMaxLayer, Values) { EXPECT_THAT(reduced("ReduceMax"), ElementsAre(4.0f, 3.0f)); }
TEST(ReduceMinLayer, Values) { EXPECT_THAT(reduced("ReduceMin"), ElementsAre(-2.0f, -1.0f)); }
TEST(ReduceProdLayer, Values) { EXPECT_THAT(reduced("ReduceProd"), ElementsAre(-8.0f, -1.5f)); }
TEST(ReduceL1Layer, Values) { EXPECT_THAT(reduced("ReduceL1"), ElementsAre(7.0f, 4.5f)); }
TEST(ReduceSumSquareLayer, Values) {
  EXPECT_THAT(reduced("ReduceSumSquare"), ElementsAre(21.0f, 10.25f));
}
TEST(ReduceL2Layer, Values) {
  EXPECT_THAT(reduced("ReduceL2"), ElementsAre(FloatEq(4.5825757f), FloatEq(3.2015621f)));
}
TEST(ReduceLogSumExpLayer, Values) {
  // log(e + e^-2 + e^4), log(e^3 + e^0.5 + e^-1)
  EXPECT_THAT(reduced("ReduceLogSumExp"), ElementsAre(FloatEq(4.0509458f), FloatEq(3.0956743f)));
}

}  // namespace
}  // namespace tessera
