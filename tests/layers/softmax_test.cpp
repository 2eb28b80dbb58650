// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/softmax.h"

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

SoftmaxProblem problem(int64_t outer, int64_t axis, int64_t inner, bool log = false) {
  return {.outer = outer, .axis = axis, .inner = inner, .log = log};
}

TEST(SoftmaxLayer, OneAxisFromOpsetThirteenOn) {
  const auto lowered = [](int64_t axis) {
    return lowered_problem<SoftmaxProblem>(
        TestNode("Softmax", 13).input({2, 3, 4, 5}).attribute("axis", axis));
  };
  EXPECT_EQ(lowered(1), problem(2, 3, 20));
  EXPECT_EQ(lowered(0), problem(1, 2, 60));
  EXPECT_EQ(lowered(-1), problem(24, 5, 1));
  EXPECT_EQ(lowered_problem<SoftmaxProblem>(TestNode("Softmax", 13).input({2, 3, 4})),
            problem(6, 4, 1));
}

TEST(SoftmaxLayer, CoercedToAMatrixBefore) {
  const auto lowered = [](int64_t axis) {
    return lowered_problem<SoftmaxProblem>(
        TestNode("Softmax", 11).input({2, 3, 4, 5}).attribute("axis", axis));
  };
  EXPECT_EQ(lowered(1), problem(2, 60, 1));
  EXPECT_EQ(lowered(0), problem(1, 120, 1));
  EXPECT_EQ(lowered(-1), problem(24, 5, 1));
  EXPECT_EQ(lowered_problem<SoftmaxProblem>(TestNode("Softmax", 12).input({2, 3, 4})),
            problem(2, 12, 1));
}

TEST(SoftmaxLayer, ShapesAndEmptyBatch) {
  expect_shape(TestNode("Softmax", 13).input({0, 10}), {0, 10});
  expect_shape(TestNode("Softmax", 6).input({2, 10}), {2, 10});
}

TEST(SoftmaxLayer, Refuses) {
  expect_error(TestNode("Softmax", 13).input({2, 3}).attribute("axis", 2),
               StatusCode::kInvalidModel, {"axis 2", "input 'input' float32 (2, 3)", "[-2, 1]"});
  expect_error(TestNode("Softmax", 13).input({}), StatusCode::kInvalidModel,
               {"a scalar has no axes"});
  expect_error(TestNode("Softmax", 11).input({4}), StatusCode::kInvalidModel, {"axis 1"});
  expect_error(TestNode("Softmax", 13).input({4}, DType::kF16), StatusCode::kUnsupported,
               {"input 'input' float16 (4)", "only float32"});
}

// The same input under both rules.
TEST(SoftmaxLayer, Values) {
  const Tensor zeros = Tensor::from_values<float>({1, 2, 2}, {0, 0, 0, 0});
  EXPECT_THAT(run_floats(TestNode("Softmax", 13).constant(zeros).attribute("axis", 1)),
              ElementsAre(0.5f, 0.5f, 0.5f, 0.5f));
  EXPECT_THAT(run_floats(TestNode("Softmax", 11).constant(zeros).attribute("axis", 1)),
              ElementsAre(0.25f, 0.25f, 0.25f, 0.25f));
}

TEST(LogSoftmaxLayer, LowersAndComputes) {
  EXPECT_EQ(lowered_problem<SoftmaxProblem>(TestNode("LogSoftmax", 13).input({2, 3})),
            problem(2, 3, 1, true));
  EXPECT_EQ(lowered_problem<SoftmaxProblem>(TestNode("LogSoftmax", 6).input({2, 3, 4})),
            problem(2, 12, 1, true));
  EXPECT_THAT(
      run_floats(TestNode("LogSoftmax", 13).constant(Tensor::from_values<float>({2}, {1, 1}))),
      ElementsAre(FloatNear(-0.69314718f, 1e-6f), FloatNear(-0.69314718f, 1e-6f)));
}

}  // namespace
}  // namespace tessera
