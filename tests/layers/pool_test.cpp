// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/pool.h"

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;

TestNode pool(const std::string& op_type, int opset, Shape x, std::vector<int64_t> kernel) {
  return TestNode(op_type, opset).input(std::move(x)).attribute("kernel_shape", ints(kernel));
}

TEST(MaxPoolLayer, ShapesAndFields) {
  expect_shape(pool("MaxPool", 6, {2, 3, 7, 9}, {2, 3}), {2, 3, 6, 7});
  expect_shape(pool("MaxPool", 13, {0, 3, 7}, {2}), {0, 3, 6});
  const auto problem = lowered_problem<PoolProblem>(pool("MaxPool", 22, {2, 3, 7, 9}, {2, 3})
                                                        .attribute("strides", ints({2, 1}))
                                                        .attribute("dilations", ints({1, 2}))
                                                        .attribute("pads", ints({1, 0, 0, 2}))
                                                        .attribute("ceil_mode", 1));
  PoolProblem expected;
  expected.kind = PoolKind::kMax;
  expected.N = 2, expected.C = 3, expected.H = 7, expected.W = 9;
  expected.R = 2, expected.S = 3, expected.P = 4, expected.Q = 7;
  expected.stride_h = 2, expected.dilation_w = 2;
  expected.pad_top = 1, expected.pad_right = 2;
  EXPECT_EQ(problem, expected);
}

TEST(MaxPoolLayer, AttributesComeWithTheirOpset) {
  const auto old = [] { return pool("MaxPool", 8, {1, 1, 4}, {2}); };
  expect_shape(old().attribute("storage_order", 1), {1, 1, 3});
  expect_error(old().attribute("dilations", ints({2})), StatusCode::kInvalidModel, {"'dilations'"});
  expect_error(old().attribute("ceil_mode", 1), StatusCode::kInvalidModel, {"'ceil_mode'"});
  expect_shape(pool("MaxPool", 10, {1, 1, 4}, {2}).attribute("dilations", ints({2})), {1, 1, 2});
  expect_error(pool("MaxPool", 7, {1, 1, 4}, {2}).attribute("storage_order", 0),
               StatusCode::kInvalidModel, {"'storage_order'"});
}

TEST(MaxPoolLayer, IndicesAreNotAvailable) {
  const TestNode node = pool("MaxPool", 12, {1, 1, 4}, {2}).outputs(2);
  expect_outputs(node, {{DType::kF32, {1, 1, 3}}, {DType::kI64, {1, 1, 3}}});
  const auto lowering = node.lower();
  ASSERT_TRUE(lowering.ok());
  const auto* reason = std::get_if<Lowering::Unavailable>(&lowering->outputs[1]);
  ASSERT_NE(reason, nullptr);
  EXPECT_THAT(reason->reason, testing::HasSubstr("Indices"));
}

TEST(MaxPoolLayer, Refuses) {
  expect_error(TestNode("MaxPool", 13).input({1, 1, 4}), StatusCode::kInvalidModel,
               {"required attribute 'kernel_shape' is missing"});
  expect_error(pool("MaxPool", 13, {1, 1}, {2}), StatusCode::kInvalidModel, {"(N, C, H, W)"});
  expect_error(pool("MaxPool", 13, {1, 1, 4, 4, 4}, {2, 2, 2}), StatusCode::kUnsupported,
               {"3 spatial axes"});
  expect_error(pool("MaxPool", 13, {1, 1, 4}, {2}).attribute("pads", ints({2, 0})),
               StatusCode::kUnsupported, {"pads of (2, 0)", "whole window of 2"});
  expect_error(
      TestNode("MaxPool", 13).input({1, 1, 4}, DType::kI8).attribute("kernel_shape", ints({2})),
      StatusCode::kUnsupported, {"int8", "only float32"});
}

TEST(AveragePoolLayer, AttributesComeWithTheirOpset) {
  const auto at = [](int opset) { return pool("AveragePool", opset, {1, 1, 4}, {2}); };
  expect_shape(at(7).attribute("count_include_pad", 1), {1, 1, 3});
  expect_error(at(9).attribute("ceil_mode", 1), StatusCode::kInvalidModel, {"'ceil_mode'"});
  expect_shape(at(10).attribute("ceil_mode", 1), {1, 1, 3});
  expect_error(at(18).attribute("dilations", ints({2})), StatusCode::kInvalidModel,
               {"'dilations'"});
  expect_shape(at(19).attribute("dilations", ints({2})), {1, 1, 2});
  EXPECT_EQ(find_layer("", "AveragePool")->first_opset, 7);
}

// Four ways to count the cells of the first and the last window of 1 2 3 4, window 3, stride 2,
// pads 1: windows (pad 1 2), (2 3 4) and with ceil_mode (4 pad past).
TEST(AveragePoolLayer, CeilModeAndPaddingCount) {
  const auto values = [](int64_t ceil_mode, int64_t count_include_pad) {
    return run_floats(TestNode("AveragePool", 22)
                          .constant(Tensor::from_values<float>({1, 1, 4}, {1, 2, 3, 4}))
                          .attribute("kernel_shape", ints({3}))
                          .attribute("strides", ints({2}))
                          .attribute("pads", ints({1, 1}))
                          .attribute("ceil_mode", ceil_mode)
                          .attribute("count_include_pad", count_include_pad));
  };
  EXPECT_THAT(values(0, 0), ElementsAre(1.5f, 3.0f));
  EXPECT_THAT(values(0, 1), ElementsAre(1.0f, 3.0f));
  EXPECT_THAT(values(1, 0), ElementsAre(1.5f, 3.0f, 4.0f));
  EXPECT_THAT(values(1, 1), ElementsAre(1.0f, 3.0f, 2.0f));
}

TEST(GlobalAveragePoolLayer, AnyNumberOfSpatialAxes) {
  expect_shape(TestNode("GlobalAveragePool", 7).input({2, 3, 4, 5}), {2, 3, 1, 1});
  expect_shape(TestNode("GlobalAveragePool", 22).input({2, 3, 7}), {2, 3, 1});
  expect_shape(TestNode("GlobalAveragePool", 7).input({0, 3, 4, 5, 6}), {0, 3, 1, 1, 1});
  const auto problem =
      lowered_problem<PoolProblem>(TestNode("GlobalAveragePool", 7).input({2, 3, 4, 5, 6}));
  PoolProblem expected;
  expected.kind = PoolKind::kAverage;
  expected.N = 2, expected.C = 3, expected.H = 4, expected.W = 30;
  expected.R = 4, expected.S = 30, expected.P = 1, expected.Q = 1;
  EXPECT_EQ(problem, expected);
  const Tensor x = Tensor::from_values<float>({1, 2, 3}, {1, 2, 6, -1, 0, 1});
  EXPECT_THAT(run_floats(TestNode("GlobalAveragePool", 7).constant(x)), ElementsAre(3.0f, 0.0f));
}

TEST(GlobalAveragePoolLayer, Refuses) {
  expect_error(TestNode("GlobalAveragePool", 7).input({2, 3}), StatusCode::kInvalidModel,
               {"input 'X' float32 (2, 3)", "spatial axis"});
  expect_error(TestNode("GlobalAveragePool", 7).input({2, 3, 0}), StatusCode::kInvalidModel,
               {"no elements to pool along axis 2"});
}

TEST(GlobalMaxPoolLayer, Values) {
  const Tensor x = Tensor::from_values<float>({1, 2, 1, 3}, {1, 2, 6, -1, 0, -4});
  EXPECT_THAT(run_floats(TestNode("GlobalMaxPool", 7).constant(x)), ElementsAre(6.0f, 0.0f));
  EXPECT_EQ(lowered_problem<PoolProblem>(TestNode("GlobalMaxPool", 7).constant(x)).kind,
            PoolKind::kMax);
}

}  // namespace
}  // namespace tessera
