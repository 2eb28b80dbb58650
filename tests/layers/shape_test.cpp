// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

using testing::ElementsAre;

TEST(FlattenLayer, Shapes) {
  const auto flatten = [](int opset, int64_t axis) {
    return TestNode("Flatten", opset).input({2, 3, 4}).attribute("axis", axis);
  };
  expect_shape(TestNode("Flatten", 6).input({2, 3, 4}), {2, 12});
  expect_shape(flatten(9, 0), {1, 24});
  expect_shape(flatten(9, 2), {6, 4});
  expect_shape(flatten(9, 3), {24, 1});
  expect_shape(flatten(11, -1), {6, 4});
  expect_shape(flatten(11, -3), {1, 24});
  expect_shape(TestNode("Flatten", 13).input({0, 3, 4}), {0, 12});
  expect_shape(TestNode("Flatten", 13).input({}).attribute("axis", 0), {1, 1});
  EXPECT_EQ(aliased_input(flatten(13, 1)), 0);
}

TEST(FlattenLayer, Refuses) {
  const auto flatten = [](int opset, int64_t axis) {
    return TestNode("Flatten", opset).input({2, 3, 4}).attribute("axis", axis);
  };
  expect_error(flatten(9, -1), StatusCode::kInvalidModel, {"axis -1", "from opset 11 on"});
  expect_error(flatten(11, 4), StatusCode::kInvalidModel, {"axis 4", "input 'input'"});
  expect_error(flatten(11, -4), StatusCode::kInvalidModel, {"axis -4"});
  expect_error(TestNode("Flatten", 13).input({}), StatusCode::kInvalidModel,
               {"a scalar has no axes"});
}

TestNode reshape(Shape data, std::vector<int64_t> shape, int opset = 14) {
  return TestNode("Reshape", opset).input(std::move(data)).constant(int64_list(std::move(shape)));
}

TEST(ReshapeLayer, Shapes) {
  expect_shape(reshape({2, 3, 4}, {6, 4}), {6, 4});
  expect_shape(reshape({2, 3, 4}, {0, -1}), {2, 12});
  expect_shape(reshape({2, 3, 4}, {4, 0, -1}), {4, 3, 2});
  expect_shape(reshape({2, 3, 4}, {-1}), {24});
  expect_shape(reshape({1, 1}, {}), {});
  expect_shape(reshape({}, {1, -1}), {1, 1});
  expect_shape(reshape({2, 3, 4}, {0, 0, 0}, 6), {2, 3, 4});
  EXPECT_EQ(aliased_input(reshape({2, 3}, {3, 2})), 0);
}

TEST(ReshapeLayer, EmptyBatch) {
  expect_shape(reshape({0, 1, 4, 4}, {0, -1}), {0, 16});
  expect_shape(reshape({0, 1, 4, 4}, {-1, 16}), {0, 16});
  expect_shape(reshape({0, 4}, {2, 0}).attribute("allowzero", 1), {2, 0});
  expect_shape(reshape({0, 4}, {0, 8}), {0, 8});
}

TEST(ReshapeLayer, Refuses) {
  const auto invalid = StatusCode::kInvalidModel;
  expect_error(reshape({2, 3}, {4}), invalid,
               {"input 'data' float32 (2, 3) to (4)", "6 elements", "has 4"});
  expect_error(reshape({2, 3}, {4, -1}), invalid, {"no value for -1"});
  expect_error(reshape({2, 3}, {-1, -1}), invalid, {"more than one extent is -1"});
  expect_error(reshape({2, 3}, {-2, 3}), invalid, {"negative"});
  expect_error(reshape({2, 3}, {6, 1, 0}), invalid, {"0 at place 2"});
  expect_error(reshape({2, 0}, {0, -1}).attribute("allowzero", 1), invalid, {"allowzero = 1"});
  expect_error(reshape({2, 3}, {6}, 13).attribute("allowzero", 0), invalid, {"'allowzero'"});
  expect_error(reshape({2, 3}, {int64_t{1} << 62, int64_t{1} << 62, -1}), invalid,
               {"no value for -1"});
  expect_error(reshape({2, 3}, {int64_t{1} << 62, int64_t{1} << 62}), invalid, {"64 bits"});
  expect_error(TestNode("Reshape", 14).input({2, 3}).input({2}, DType::kI64),
               StatusCode::kUnsupported, {"input 'shape' int64 (2)", "must be a constant"});
  expect_error(TestNode("Reshape", 14).input({2, 3}).input({2}), invalid,
               {"input 'shape' float32 (2)", "int64"});
  expect_error(TestNode("Reshape", 14).input({2, 3}).input({2, 1}, DType::kI64), invalid,
               {"expected rank 1"});
}

TEST(SqueezeLayer, AxesByAttributeAndByInput) {
  const auto squeeze = [](int opset, std::vector<int64_t> axes) {
    return TestNode("Squeeze", opset).input({1, 3, 1, 4}).attribute("axes", ints(axes));
  };
  expect_shape(squeeze(6, {0}), {3, 1, 4});
  expect_shape(squeeze(11, {-2, 0}), {3, 4});
  expect_shape(TestNode("Squeeze", 11).input({1, 3, 1}), {3});
  expect_shape(TestNode("Squeeze", 13).input({1, 3, 1}), {3});
  expect_shape(TestNode("Squeeze", 13).input({1, 3, 1}).constant(int64_list({2})), {1, 3});
  expect_shape(TestNode("Squeeze", 13).input({1, 3, 1}).constant(int64_list({})), {1, 3, 1});
  EXPECT_EQ(aliased_input(squeeze(11, {0})), 0);
}

TEST(SqueezeLayer, Refuses) {
  const auto squeeze = [](int opset, std::vector<int64_t> axes) {
    return TestNode("Squeeze", opset).input({1, 3, 1}).attribute("axes", ints(axes));
  };
  const auto invalid = StatusCode::kInvalidModel;
  expect_error(squeeze(6, {-1}), invalid, {"axis -1", "opset 11"});
  expect_error(squeeze(11, {1}), invalid, {"axis 1 cannot be squeezed", "3"});
  expect_error(squeeze(11, {0, -3}), invalid, {"axis 0", "more than once"});
  expect_error(squeeze(13, {0}), invalid, {"'axes'"});
  expect_error(TestNode("Squeeze", 13).input({1}).input({1}, DType::kI64), StatusCode::kUnsupported,
               {"input 'axes'", "must be a constant"});
}

TEST(UnsqueezeLayer, AxesOfTheResult) {
  const auto unsqueeze = [](int opset, std::vector<int64_t> axes) {
    return TestNode("Unsqueeze", opset).input({3, 4}).attribute("axes", ints(axes));
  };
  expect_shape(unsqueeze(6, {0}), {1, 3, 4});
  expect_shape(unsqueeze(6, {3, 0}), {1, 3, 4, 1});
  expect_shape(unsqueeze(11, {-1}), {3, 4, 1});
  expect_shape(TestNode("Unsqueeze", 13).input({}).constant(int64_list({0})), {1});
  EXPECT_EQ(aliased_input(unsqueeze(6, {1})), 0);
}

TEST(UnsqueezeLayer, Refuses) {
  const auto invalid = StatusCode::kInvalidModel;
  expect_error(TestNode("Unsqueeze", 11).input({3}), invalid,
               {"required attribute 'axes' is missing"});
  expect_error(TestNode("Unsqueeze", 13).input({3}), invalid, {"input 'axes' is missing"});
  expect_error(TestNode("Unsqueeze", 13).input({3}).constant(int64_list({2})), invalid,
               {"axis 2", "unsqueezing input 'data'", "[-2, 1]"});
  expect_error(TestNode("Unsqueeze", 13).input({3}).constant(int64_list({0, 0})), invalid,
               {"more than once"});
  expect_error(TestNode("Unsqueeze", 9).input({3}).attribute("axes", ints({-1})), invalid,
               {"opset 11"});
}

TEST(IdentityLayer, AnyType) {
  expect_outputs(TestNode("Identity", 13).input({2, 3}, DType::kBool), {{DType::kBool, {2, 3}}});
  EXPECT_EQ(aliased_input(TestNode("Identity", 6).input({})), 0);
}

TEST(ShapeLayer, ExtentsAreConstants) {
  EXPECT_THAT(run_floats(TestNode("Shape", 6).input({2, 0, 4})), ElementsAre(2, 0, 4));
  expect_outputs(TestNode("Shape", 13).input({}, DType::kU8), {{DType::kI64, {0}}});
  const auto part = [](int64_t start, int64_t end) {
    return run_floats(
        TestNode("Shape", 15).input({2, 3, 4}).attribute("start", start).attribute("end", end));
  };
  EXPECT_THAT(part(1, 2), ElementsAre(3));
  EXPECT_THAT(part(-1, 100), ElementsAre(4));
  EXPECT_THAT(part(-100, -1), ElementsAre(2, 3));
  EXPECT_THAT(part(2, 1), ElementsAre());
  expect_error(TestNode("Shape", 13).input({2}).attribute("start", 0), StatusCode::kInvalidModel,
               {"'start'"});
}

TEST(ConstantLayer, EachKindOfValue) {
  const auto constant = [](const char* name, AttributeValue value) {
    return TestNode("Constant", 13).attribute(name, std::move(value));
  };
  EXPECT_THAT(run_floats(constant("value", int64_list({4, 5}))), ElementsAre(4, 5));
  expect_outputs(constant("value_float", 1.5f), {{DType::kF32, {}}});
  EXPECT_THAT(run_floats(constant("value_float", 1.5f)), ElementsAre(1.5f));
  expect_outputs(constant("value_int", 3), {{DType::kI64, {}}});
  EXPECT_THAT(run_floats(constant("value_floats", floats({1, 2}))), ElementsAre(1, 2));
  EXPECT_THAT(run_floats(constant("value_ints", ints({6, 7}))), ElementsAre(6, 7));
  expect_outputs(constant("value_ints", ints({})), {{DType::kI64, {0}}});
}

TEST(ConstantLayer, Refuses) {
  const auto invalid = StatusCode::kInvalidModel;
  expect_error(TestNode("Constant", 13).attribute("value_string", std::string("x")),
               StatusCode::kUnsupported, {"value_string"});
  expect_error(TestNode("Constant", 13).attribute("sparse_value", int64_list({})),
               StatusCode::kUnsupported, {"sparse_value"});
  expect_error(TestNode("Constant", 13), invalid, {"exactly one attribute", "found 0"});
  expect_error(TestNode("Constant", 13).attribute("value_int", 1).attribute("value_float", 1.0f),
               invalid, {"value_int"});
  expect_error(TestNode("Constant", 11).attribute("value_int", 1), invalid, {"'value_int'"});
  expect_error(TestNode("Constant", 13).attribute("value", 1), invalid,
               {"'value' is an integer, expected a tensor"});
  expect_error(TestNode("Constant", 13).attribute("value_int", 1).input({1}), invalid,
               {"takes at most 0"});
}

TEST(ConstantOfShapeLayer, FillsAndDefaults) {
  const auto node = [](std::vector<int64_t> shape) {
    return TestNode("ConstantOfShape", 9).constant(int64_list(std::move(shape)));
  };
  expect_shape(node({2, 3}), {2, 3});
  expect_shape(node({}), {});
  EXPECT_THAT(run_floats(node({2})), ElementsAre(0, 0));
  const TestNode filled = node({3}).attribute("value", int64_list({7}));
  expect_outputs(filled, {{DType::kI64, {3}}});
  EXPECT_THAT(run_floats(filled), ElementsAre(7, 7, 7));
  expect_shape(node({0, 5}), {0, 5});
}

TEST(ConstantOfShapeLayer, Refuses) {
  const auto node = [](std::vector<int64_t> shape) {
    return TestNode("ConstantOfShape", 9).constant(int64_list(std::move(shape)));
  };
  expect_error(node({1 << 20, 1 << 10}), StatusCode::kOutOfMemory,
               {"float32 (1048576, 1024)", "4294967296 bytes"});
  expect_error(node({int64_t{1} << 62, int64_t{1} << 62}), StatusCode::kOutOfMemory, {"overflows"});
  expect_error(node({-1}), StatusCode::kInvalidModel, {"(-1)", "negative extent"});
  expect_error(node({2}).attribute("value", int64_list({7, 8})), StatusCode::kInvalidModel,
               {"'value' int64 (2)", "expected one element"});
  expect_error(TestNode("ConstantOfShape", 9).input({2}, DType::kI64), StatusCode::kUnsupported,
               {"input 'input'", "must be a constant"});
}

TEST(DropoutLayer, IsTheIdentityAtInference) {
  EXPECT_EQ(aliased_input(TestNode("Dropout", 7).input({2}).attribute("ratio", 0.5f)), 0);
  EXPECT_EQ(aliased_input(TestNode("Dropout", 12)
                              .input({2})
                              .constant(float_scalar(0.5f))
                              .constant(Tensor::from_values<bool>({}, {false}))
                              .attribute("seed", 1)),
            0);
  expect_shape(TestNode("Dropout", 13).input({2}, DType::kF32).input({}), {2});
  expect_shape(TestNode("Dropout", 6).input({2}).attribute("is_test", 1), {2});
}

TEST(DropoutLayer, MaskIsTrueEverywhere) {
  const auto mask = [](int opset) {
    const auto lowering = TestNode("Dropout", opset).input({2, 2}).outputs(2).lower();
    EXPECT_TRUE(lowering.ok());
    return std::get<Lowering::Constant>(lowering->outputs.at(1)).value;
  };
  EXPECT_EQ(mask(7).desc(), (TensorDesc{DType::kF32, {2, 2}}));
  EXPECT_THAT(mask(7).values<float>(), ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(mask(10).desc(), (TensorDesc{DType::kBool, {2, 2}}));
  EXPECT_THAT(mask(12).values<bool>(), ElementsAre(true, true, true, true));
}

TEST(DropoutLayer, RefusesTraining) {
  const auto with_mode = [](bool training) {
    return TestNode("Dropout", 12)
        .input({2})
        .missing()
        .constant(Tensor::from_values<bool>({}, {training}));
  };
  expect_error(with_mode(true), StatusCode::kUnsupported, {"training_mode is true"});
  expect_shape(with_mode(false), {2});
  expect_error(TestNode("Dropout", 12).input({2}).missing().input({}, DType::kBool),
               StatusCode::kUnsupported, {"input 'training_mode'", "must be a constant"});
  expect_error(TestNode("Dropout", 6).input({2}), StatusCode::kUnsupported, {"is_test = 0"});
  expect_error(TestNode("Dropout", 12).input({2}).attribute("ratio", 0.5f),
               StatusCode::kInvalidModel, {"'ratio'"});
}

}  // namespace
}  // namespace tessera
