// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/batch_norm.h"
#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TestNode batch_norm(int opset, Shape x, const Shape& statistics) {
  TestNode node("BatchNormalization", opset);
  node.input(std::move(x));
  for (int i = 0; i < 4; ++i) node.input(statistics);
  return node;
}

TEST(BatchNormalizationLayer, LowersAtEachOpset) {
  BatchNormProblem expected;
  expected.N = 2, expected.C = 3, expected.inner = 20;
  expected.epsilon = 0.5f;
  for (const int opset : {7, 8, 9, 14, 15, kNewestOpset}) {
    const TestNode node =
        batch_norm(opset, {2, 3, 4, 5}, {3}).attribute("epsilon", 0.5f).attribute("momentum", 0.9f);
    expect_shape(node, {2, 3, 4, 5});
    EXPECT_EQ(lowered_problem<BatchNormProblem>(node), expected);
    EXPECT_THAT(node.lower()->operands, ElementsAre(0, 1, 2, 3, 4));
  }
  EXPECT_EQ(lowered_problem<BatchNormProblem>(batch_norm(9, {2, 3}, {3})).inner, 1);
  EXPECT_EQ(lowered_problem<BatchNormProblem>(batch_norm(9, {2, 3}, {3})).epsilon, 1e-5f);
  const auto vector = lowered_problem<BatchNormProblem>(batch_norm(15, {7}, {1}));
  EXPECT_EQ(vector.N, 7);
  EXPECT_EQ(vector.C, 1);
}

TEST(BatchNormalizationLayer, StatisticsPerElement) {
  const auto problem = lowered_problem<BatchNormProblem>(
      batch_norm(7, {2, 3, 4, 5}, {3, 4, 5}).attribute("spatial", 0));
  EXPECT_EQ(problem.N, 2);
  EXPECT_EQ(problem.C, 60);
  EXPECT_EQ(problem.inner, 1);
  expect_error(batch_norm(7, {2, 3, 4, 5}, {3}).attribute("spatial", 0), StatusCode::kInvalidModel,
               {"input 'scale' float32 (3): expected the shape (3, 4, 5)"});
  expect_error(batch_norm(9, {2, 3}, {3}).attribute("spatial", 1), StatusCode::kInvalidModel,
               {"'spatial'"});
}

TEST(BatchNormalizationLayer, RefusesTraining) {
  expect_error(batch_norm(14, {2, 3}, {3}).attribute("training_mode", 1), StatusCode::kUnsupported,
               {"training_mode = 1", "model.eval()"});
  expect_shape(batch_norm(14, {2, 3}, {3}).attribute("training_mode", 0), {2, 3});
  expect_error(batch_norm(6, {2, 3}, {3}), StatusCode::kUnsupported, {"is_test = 0"});
  expect_shape(batch_norm(6, {2, 3}, {3}).attribute("is_test", 1), {2, 3});
  expect_error(batch_norm(6, {2, 3}, {3}).attribute("is_test", 1).attribute("spatial", 0),
               StatusCode::kUnsupported, {"spatial = 0"});
  expect_error(batch_norm(13, {2, 3}, {3}).attribute("training_mode", 0), StatusCode::kInvalidModel,
               {"'training_mode'"});
}

TEST(BatchNormalizationLayer, StatisticsAreNotAvailable) {
  const TestNode node = batch_norm(9, {2, 3}, {3}).outputs(5);
  const TensorDesc statistics = {DType::kF32, {3}};
  expect_outputs(node, {{DType::kF32, {2, 3}}, statistics, statistics, statistics, statistics});
  const auto lowering = node.lower();
  ASSERT_TRUE(lowering.ok());
  for (size_t i = 1; i < 5; ++i) {
    const auto* reason = std::get_if<Lowering::Unavailable>(&lowering->outputs[i]);
    ASSERT_NE(reason, nullptr);
    EXPECT_THAT(reason->reason, HasSubstr("training"));
  }
}

TEST(BatchNormalizationLayer, Refuses) {
  expect_error(batch_norm(15, {}, {1}), StatusCode::kInvalidModel, {"input 'X' float32 ()"});
  expect_error(batch_norm(15, {2, 3}, {2}), StatusCode::kInvalidModel,
               {"input 'scale' float32 (2): expected the shape (3)"});
  expect_error(TestNode("BatchNormalization", 15).input({2, 3}).input({3}).input({3}).input({3}),
               StatusCode::kInvalidModel, {"input 'var' is missing"});
}

TEST(BatchNormalizationLayer, Values) {
  const auto vector = [](std::initializer_list<float> values) {
    return Tensor::from_values<float>({2}, values);
  };
  const TestNode node = TestNode("BatchNormalization", 15)
                            .constant(Tensor::from_values<float>({1, 2, 2}, {1, 3, 5, 7}))
                            .constant(vector({2, 1}))
                            .constant(vector({10, 20}))
                            .constant(vector({1, 5}))
                            .constant(vector({4, 1}))
                            .attribute("epsilon", 0.0f);
  EXPECT_THAT(run_floats(node), ElementsAre(10, 12, 20, 22));
}

}  // namespace
}  // namespace tessera
