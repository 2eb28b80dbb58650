// SPDX-License-Identifier: Apache-2.0
#include "kernels/problem/elementwise.h"

#include <limits>

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

const Tensor kFloats = Tensor::from_values<float>({4}, {-2, -0.5f, 0, 3});

TEST(ReluLayer, KeepsTheShapeAndLowers) {
  expect_shape(TestNode("Relu", 6).input({2, 0, 3}), {2, 0, 3});
  expect_shape(TestNode("Relu", 14).input({}), {});
  const auto problem = lowered_problem<UnaryProblem>(TestNode("Relu", 14).input({2, 3}));
  EXPECT_EQ(problem.count, 6);
  EXPECT_EQ(problem.activation, Activation{ActivationKind::kRelu});
  EXPECT_THAT(run_floats(TestNode("Relu", 14).constant(kFloats)), ElementsAre(0, 0, 0, 3));
  expect_error(TestNode("Relu", 14).input({2}, DType::kI32), StatusCode::kUnsupported,
               {"input 'X' int32 (2)", "only float32"});
}

TEST(LeakyReluLayer, ReadsAlpha) {
  const auto alpha = [](const TestNode& node) {
    return lowered_problem<UnaryProblem>(node).activation.alpha;
  };
  EXPECT_EQ(alpha(TestNode("LeakyRelu", 6).input({2})), 0.01f);
  EXPECT_EQ(alpha(TestNode("LeakyRelu", 16).input({2}).attribute("alpha", 0.25f)), 0.25f);
  EXPECT_THAT(run_floats(TestNode("LeakyRelu", 16).constant(kFloats).attribute("alpha", 0.5f)),
              ElementsAre(-1, -0.25f, 0, 3));
}

TEST(SigmoidLayer, Values) {
  EXPECT_THAT(run_floats(TestNode("Sigmoid", 13).constant(float_scalar(0))), ElementsAre(0.5f));
  EXPECT_EQ(lowered_problem<UnaryProblem>(TestNode("Sigmoid", 6).input({3})).activation.kind,
            ActivationKind::kSigmoid);
}

TEST(TanhLayer, Values) {
  EXPECT_THAT(run_floats(TestNode("Tanh", 13).constant(float_scalar(1))),
              ElementsAre(FloatNear(0.76159416f, 1e-6f)));
  EXPECT_EQ(lowered_problem<UnaryProblem>(TestNode("Tanh", 6).input({3})).activation.kind,
            ActivationKind::kTanh);
}

TEST(ClipLayer, BoundsAreAttributesBeforeOpsetEleven) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  constexpr float kLargest = std::numeric_limits<float>::max();
  const auto activation = [](const TestNode& node) {
    return lowered_problem<UnaryProblem>(node).activation;
  };
  EXPECT_EQ(activation(TestNode("Clip", 6).input({2})),
            (Activation{ActivationKind::kClip, kLowest, kLargest}));
  EXPECT_EQ(activation(TestNode("Clip", 10).input({2}).attribute("max", 6.0f)),
            (Activation{ActivationKind::kClip, kLowest, 6}));
  expect_error(TestNode("Clip", 11).input({2}).attribute("max", 6.0f), StatusCode::kInvalidModel,
               {"'max'"});
  expect_error(TestNode("Clip", 10).input({2}).constant(float_scalar(0)), StatusCode::kInvalidModel,
               {"takes at most 1"});
}

TEST(ClipLayer, BoundsAreInputsFromOpsetElevenOn) {
  const auto activation = [](const TestNode& node) {
    return lowered_problem<UnaryProblem>(node).activation;
  };
  const TestNode both =
      TestNode("Clip", 13).constant(kFloats).constant(float_scalar(-1)).constant(float_scalar(2));
  EXPECT_EQ(activation(both), (Activation{ActivationKind::kClip, -1, 2}));
  EXPECT_THAT(run_floats(both), ElementsAre(-1, -0.5f, 0, 2));
  EXPECT_EQ(activation(TestNode("Clip", 11).input({2}).missing().constant(float_scalar(2))).alpha,
            std::numeric_limits<float>::lowest());
  const TestNode crossed =
      TestNode("Clip", 13).constant(kFloats).constant(float_scalar(5)).constant(float_scalar(2));
  EXPECT_THAT(run_floats(crossed), ElementsAre(2, 2, 2, 2));
}

TEST(ClipLayer, Refuses) {
  expect_error(TestNode("Clip", 13).input({2}).input({}), StatusCode::kUnsupported,
               {"input 'min'", "must be a constant"});
  expect_error(TestNode("Clip", 13).input({2}).constant(Tensor::from_values<float>({2}, {0, 1})),
               StatusCode::kInvalidModel, {"input 'min' float32 (2)", "scalar"});
  expect_error(TestNode("Clip", 13).input({2}).constant(Tensor::from_values<double>({}, {0.0})),
               StatusCode::kUnsupported, {"input 'min' float64"});
  expect_error(TestNode("Clip", 13).input({2}, DType::kI64), StatusCode::kUnsupported, {"int64"});
}

TestNode binary(const std::string& op_type, Shape a, Shape b) {
  return TestNode(op_type, 14).input(std::move(a)).input(std::move(b));
}

TEST(AddLayer, BroadcastShapes) {
  expect_shape(binary("Add", {2, 3}, {2, 3}), {2, 3});
  expect_shape(binary("Add", {2, 3}, {3}), {2, 3});
  expect_shape(binary("Add", {}, {2, 3}), {2, 3});
  expect_shape(binary("Add", {4, 1, 3}, {5, 1}), {4, 5, 3});
  expect_shape(binary("Add", {0, 3}, {1, 3}), {0, 3});
  expect_shape(binary("Add", {0}, {1}), {0});
  EXPECT_EQ(find_layer("", "Add")->first_opset, 7);
}

TEST(AddLayer, StridesAreCollapsed) {
  BinaryProblem dense;
  dense.rank = 1;
  dense.extent[0] = 24, dense.stride_a[0] = 1, dense.stride_b[0] = 1;
  EXPECT_EQ(lowered_problem<BinaryProblem>(binary("Add", {2, 3, 4}, {2, 3, 4})), dense);
  EXPECT_TRUE(dense.is_dense());

  BinaryProblem scalar = dense;
  scalar.stride_b[0] = 0;
  EXPECT_EQ(lowered_problem<BinaryProblem>(binary("Add", {2, 3, 4}, {1, 1})), scalar);

  BinaryProblem channel;  // (N, C, H, W) + (C, 1, 1)
  channel.rank = 3;
  channel.extent = {2, 3, 20}, channel.stride_a = {60, 20, 1}, channel.stride_b = {0, 1, 0};
  EXPECT_EQ(lowered_problem<BinaryProblem>(binary("Add", {2, 3, 4, 5}, {3, 1, 1})), channel);

  BinaryProblem single;
  single.rank = 1;
  single.extent[0] = 1, single.stride_a[0] = 1, single.stride_b[0] = 1;
  EXPECT_EQ(lowered_problem<BinaryProblem>(binary("Add", {}, {1, 1})), single);
}

// Every pair of shapes of rank 0 to 3 with extents 1 and 2 or 3, against indexing by hand.
TEST(AddLayer, BroadcastValuesAgainstIndexing) {
  const std::vector<Shape> shapes = {{},        {1},       {3},       {2, 1},    {1, 3},
                                     {2, 3},    {2, 1, 3}, {1, 2, 1}, {2, 2, 3}, {2, 1, 1},
                                     {1, 1, 3}, {2, 2, 1}, {1, 1, 1}};
  const auto iota = [](const Shape& shape, float first) {
    std::vector<float> values(static_cast<size_t>(shape.num_elements()));
    for (float& value : values) value = first++;
    return Tensor::from_values<float>(shape, values);
  };
  const auto element = [](const Tensor& tensor, const Shape& dst, int64_t index) {
    const auto strides = tensor.shape().row_major_strides();
    int64_t at = 0;
    for (size_t i = 1; i <= dst.rank(); ++i) {
      const int64_t position = index % dst[dst.rank() - i];
      index /= dst[dst.rank() - i];
      if (i > tensor.shape().rank()) continue;
      const size_t axis = tensor.shape().rank() - i;
      if (tensor.shape()[axis] != 1) at += position * strides[axis];
    }
    return static_cast<float>(element_as_double(tensor, at));
  };
  for (const Shape& shape_a : shapes) {
    for (const Shape& shape_b : shapes) {
      const auto dst = broadcast_shapes(shape_a, shape_b);
      if (!dst) continue;
      const Tensor a = iota(shape_a, 1);
      const Tensor b = iota(shape_b, 100);
      std::vector<float> expected;
      for (int64_t i = 0; i < dst->num_elements(); ++i) {
        expected.push_back(element(a, *dst, i) + element(b, *dst, i));
      }
      EXPECT_EQ(run_floats(TestNode("Add", 14).constant(a).constant(b)), expected)
          << shape_a << " + " << shape_b;
    }
  }
}

TEST(AddLayer, Refuses) {
  expect_error(binary("Add", {2, 3}, {2}), StatusCode::kInvalidModel,
               {"input 'A' float32 (2, 3)", "input 'B' float32 (2)", "do not broadcast"});
  expect_error(TestNode("Add", 14).input({2}).input({2}, DType::kI64), StatusCode::kInvalidModel,
               {"input 'B' int64 (2): expected float32"});
  expect_error(TestNode("Add", 14).input({2}, DType::kU8).input({2}, DType::kU8),
               StatusCode::kUnsupported, {"uint8", "int32 and int64"});
  expect_error(binary("Add", {2, 1, 2, 1, 2, 1, 2, 1, 2}, {1, 2, 1, 2, 1, 2, 1, 2, 1}),
               StatusCode::kUnsupported, {"more than 8 dimensions"});
}

TEST(SubLayer, Integers) {
  const TestNode node = TestNode("Sub", 13).constant(int64_list({7, 5})).constant(int64_list({10}));
  expect_outputs(node, {{DType::kI64, {2}}});
  EXPECT_THAT(run_floats(node), ElementsAre(-3, -5));
}

TEST(MulLayer, ScalarIntegers) {
  const Tensor a = Tensor::from_values<int32_t>({}, {6});
  const TestNode node = TestNode("Mul", 13).constant(a).constant(a);
  expect_outputs(node, {{DType::kI32, {}}});
  EXPECT_THAT(run_floats(node), ElementsAre(36));
}

TEST(DivLayer, FloatsAndIntegers) {
  EXPECT_THAT(
      run_floats(TestNode("Div", 7).constant(int64_list({7, -7})).constant(int64_list({2}))),
      ElementsAre(3, -3));
  EXPECT_THAT(run_floats(TestNode("Div", 7).constant(float_scalar(1)).constant(float_scalar(4))),
              ElementsAre(0.25f));
  EXPECT_EQ(lowered_problem<BinaryProblem>(binary("Div", {2}, {2})).kind, BinaryKind::kDiv);
}

TEST(CastLayer, TargetsByCode) {
  const auto cast = [](int64_t to, int opset) {
    return TestNode("Cast", opset).input({2, 3}).attribute("to", to);
  };
  expect_outputs(cast(7, 9), {{DType::kI64, {2, 3}}});
  expect_outputs(cast(9, 13), {{DType::kBool, {2, 3}}});
  expect_outputs(cast(16, 13), {{DType::kBF16, {2, 3}}});
  CastProblem problem;
  problem.to = DType::kI32;
  problem.count = 6;
  EXPECT_EQ(lowered_problem<CastProblem>(cast(6, 13)), problem);
  EXPECT_EQ(aliased_input(cast(1, 13)), 0);
  expect_outputs(cast(6, 24).attribute("saturate", 0).attribute("round_mode", std::string("up")),
                 {{DType::kI32, {2, 3}}});
}

TEST(CastLayer, Refuses) {
  const auto cast = [](int64_t to) { return TestNode("Cast", 13).input({2}).attribute("to", to); };
  expect_error(cast(17), StatusCode::kUnsupported, {"casting to float8e4m3fn"});
  expect_error(cast(8), StatusCode::kUnsupported, {"casting to string"});
  expect_error(cast(22), StatusCode::kUnsupported, {"casting to int4"});
  expect_error(cast(99), StatusCode::kUnsupported, {"number 99"});
  expect_error(cast(-1), StatusCode::kUnsupported, {"number -1"});
  expect_error(cast(1).attribute("saturate", 1), StatusCode::kInvalidModel, {"'saturate'"});
  expect_error(TestNode("Cast", 13).input({2}), StatusCode::kInvalidModel,
               {"required attribute 'to' is missing"});
}

TEST(CastLayer, Values) {
  EXPECT_THAT(run_floats(TestNode("Cast", 13).constant(kFloats).attribute("to", 7)),
              ElementsAre(-2, 0, 0, 3));
}

}  // namespace
}  // namespace tessera
