// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/conv.h"

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;

TestNode conv(Shape x, Shape w, int opset = 13) {
  return TestNode("Conv", opset).input(std::move(x)).input(std::move(w));
}

TEST(ConvLayer, Shapes) {
  expect_shape(conv({2, 3, 8, 9}, {4, 3, 3, 3}), {2, 4, 6, 7});
  expect_shape(conv({2, 3, 8}, {4, 3, 3}), {2, 4, 6});
  expect_shape(conv({0, 3, 8, 9}, {4, 3, 3, 3}), {0, 4, 6, 7});
  expect_shape(conv({2, 4, 5, 5}, {6, 2, 1, 1}).attribute("group", 2), {2, 6, 5, 5});
  expect_shape(conv({2, 3, 8, 9}, {4, 3, 3, 3}).input({4}), {2, 4, 6, 7});
  expect_shape(conv({2, 3, 8, 9}, {4, 3, 3, 3}).missing(), {2, 4, 6, 7});
  for (const int opset : {6, 11, 22, kNewestOpset}) {
    expect_shape(conv({1, 1, 4, 4}, {1, 1, 2, 2}, opset).attribute("kernel_shape", ints({2, 2})),
                 {1, 1, 3, 3});
  }
}

TEST(ConvLayer, LowersEveryField) {
  const TestNode node = conv({2, 4, 9, 10}, {6, 2, 3, 2})
                            .attribute("group", 2)
                            .attribute("strides", ints({2, 3}))
                            .attribute("dilations", ints({1, 2}))
                            .attribute("pads", ints({1, 2, 3, 4}))
                            .input({6});
  ConvProblem expected;
  expected.N = 2, expected.C = 4, expected.H = 9, expected.W = 10;
  expected.K = 6, expected.R = 3, expected.S = 2;
  expected.P = 6, expected.Q = 5;
  expected.stride_h = 2, expected.stride_w = 3;
  expected.pad_top = 1, expected.pad_left = 2, expected.pad_bottom = 3, expected.pad_right = 4;
  expected.dilation_h = 1, expected.dilation_w = 2;
  expected.groups = 2;
  expected.epilogue.has_bias = true;
  EXPECT_EQ(lowered_problem<ConvProblem>(node), expected);
  EXPECT_THAT(node.lower()->operands, ElementsAre(0, 1, 2, -1));
}

TEST(ConvLayer, OneDimensionIsARow) {
  const auto problem =
      lowered_problem<ConvProblem>(conv({2, 3, 8}, {4, 3, 3}).attribute("pads", ints({1, 2})));
  EXPECT_EQ(problem.H, 1);
  EXPECT_EQ(problem.R, 1);
  EXPECT_EQ(problem.P, 1);
  EXPECT_EQ(problem.pad_top, 0);
  EXPECT_EQ(problem.W, 8);
  EXPECT_EQ(problem.S, 3);
  EXPECT_EQ(problem.pad_left, 1);
  EXPECT_EQ(problem.pad_right, 2);
  EXPECT_EQ(problem.Q, 9);
  EXPECT_FALSE(problem.epilogue.has_bias);
}

TEST(ConvLayer, SameLowerPutsTheOddPadFirst) {
  const auto with = [](const char* auto_pad) {
    return lowered_problem<ConvProblem>(
        conv({1, 1, 4, 4}, {1, 1, 2, 2}).attribute("auto_pad", std::string(auto_pad)));
  };
  EXPECT_EQ(with("SAME_LOWER").pad_top, 1);
  EXPECT_EQ(with("SAME_LOWER").pad_bottom, 0);
  EXPECT_EQ(with("SAME_UPPER").pad_left, 0);
  EXPECT_EQ(with("SAME_UPPER").pad_right, 1);
  EXPECT_EQ(with("SAME_LOWER").P, 4);
}

TEST(ConvLayer, Refuses) {
  const auto invalid = StatusCode::kInvalidModel;
  expect_error(TestNode("Conv", 13).input({1, 1, 4, 4}), invalid, {"input 'W' is missing"});
  expect_error(conv({1, 1}, {1, 1}), invalid, {"input 'X' float32 (1, 1)", "(N, C, H, W)"});
  expect_error(conv({1, 1, 4, 4}, {1, 1, 2}), invalid, {"input 'W'", "expected rank 4"});
  expect_error(conv({1, 3, 4, 4}, {2, 2, 1, 1}), invalid,
               {"input 'W' float32 (2, 2, 1, 1): expected 3 channels", "input 'X'"});
  expect_error(conv({1, 3, 4, 4}, {2, 3, 1, 1}).attribute("group", 2), invalid,
               {"group = 2 does not divide"});
  expect_error(conv({1, 3, 4, 4}, {2, 3, 1, 1}).attribute("group", 0), invalid, {"group = 0"});
  expect_error(conv({1, 3, 4, 4}, {2, 3, 1, 1}).attribute("group", -1), invalid, {"group = -1"});
  expect_error(conv({1, 3, 4, 4}, {2, 3, 1, 1}).input({3}), invalid,
               {"input 'B' float32 (3): expected the shape (2)"});
  expect_error(conv({1, 3, 4, 4}, {2, 3, 1, 1}).attribute("kernel_shape", ints({3, 3})), invalid,
               {"'kernel_shape' (3, 3) contradicts", "input 'W'"});
  expect_error(conv({1, 3, 4, 4}, {2, 3, 0, 1}), invalid, {"expected values from 1"});
  expect_error(conv({1, 3, 4, 0}, {2, 3, 1, 1}), invalid, {"axis 3", "spatial extent of 0"});
  expect_error(conv({1, 1, 4, 4, 4}, {1, 1, 2, 2, 2}), StatusCode::kUnsupported,
               {"3 spatial axes", "1 and 2"});
  expect_error(TestNode("Conv", 13).input({1, 1, 4, 4}, DType::kF16).input({1, 1, 1, 1}),
               StatusCode::kUnsupported, {"input 'X' float16", "only float32"});
}

TEST(ConvLayer, Values) {
  const TestNode node = TestNode("Conv", 13)
                            .constant(Tensor::from_values<float>({1, 1, 3}, {1, 2, 3}))
                            .constant(Tensor::from_values<float>({1, 1, 2}, {10, 1}))
                            .constant(Tensor::from_values<float>({1}, {0.5f}))
                            .attribute("auto_pad", std::string("SAME_LOWER"));
  EXPECT_THAT(run_floats(node), ElementsAre(1.5f, 12.5f, 23.5f));
}

}  // namespace
}  // namespace tessera
