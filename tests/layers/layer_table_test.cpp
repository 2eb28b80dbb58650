// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "layers/inputs.h"
#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

TEST(LayerTable, FindsEachOperatorOnceInTheDefaultDomain) {
  std::set<std::string_view> names;
  for (const LayerDef* def : layer_defs()) {
    EXPECT_TRUE(names.insert(def->op_type).second) << def->op_type << " is listed twice";
    EXPECT_EQ(find_layer("", def->op_type), def);
    EXPECT_EQ(find_layer("ai.onnx", def->op_type), def);
    EXPECT_EQ(find_layer("com.microsoft", def->op_type), nullptr);
    EXPECT_GE(def->first_opset, kOldestOpset) << def->op_type;
    EXPECT_LE(def->first_opset, kNewestOpset) << def->op_type;
  }
  EXPECT_EQ(find_layer("", "NoSuchOperator"), nullptr);
  EXPECT_EQ(find_layer("", "softmax"), nullptr);
}

// Tests of the operator Conv are in the suite ConvLayer, and so on.
TEST(LayerTable, EachOperatorHasTests) {
  std::set<std::string> suites;
  const auto& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    if (all.GetTestSuite(i)->total_test_count() > 0) suites.insert(all.GetTestSuite(i)->name());
  }
  for (const LayerDef* def : layer_defs()) {
    EXPECT_TRUE(suites.contains(std::string(def->op_type) + "Layer"))
        << "no tests for " << def->op_type;
  }
}

TEST(LayerTable, EachOperatorRefusesAbsentAndSurplusInputs) {
  for (const LayerDef* def : layer_defs()) {
    const std::string name(def->op_type);
    if (name == "Constant") continue;  // takes none; see ConstantLayer
    TestNode surplus(name, kNewestOpset);
    for (int i = 0; i < 9; ++i) surplus.input({1, 1, 1});
    if (name == "MaxPool" || name == "AveragePool") surplus.attribute("kernel_shape", ints({1}));
    if (name == "Cast") surplus.attribute("to", 1);
    if (name != "Concat") {
      expect_error(surplus, StatusCode::kInvalidModel, {"the node has 9 inputs"});
    }
    TestNode absent(name, kNewestOpset);
    EXPECT_FALSE(absent.infer().ok()) << name;
    EXPECT_FALSE(absent.missing().infer().ok()) << name;
  }
}

TEST(LayerTable, RefusesMoreOutputsThanTheOperatorHas) {
  expect_error(TestNode("Relu", 13).input({2}).outputs(2), StatusCode::kInvalidModel,
               {"names 2 outputs where Relu has 1"});
  expect_error(TestNode("BatchNormalization", 15)
                   .input({2, 3})
                   .input({3})
                   .input({3})
                   .input({3})
                   .input({3})
                   .outputs(4),
               StatusCode::kInvalidModel, {"names 4 outputs where BatchNormalization has 3"});
}

TEST(LayerTable, RefusesSizesThatDoNotFit) {
  const int64_t huge = int64_t{1} << 40;
  expect_error(TestNode("Relu", 13).input({huge, huge}), StatusCode::kOutOfMemory,
               {"input 0", "overflows"});
  expect_error(TestNode("Add", 13).input({huge, 1}).input({1, huge}), StatusCode::kOutOfMemory,
               {"output 0", "overflows"});
  expect_error(TestNode("Relu", 13).input({-1}), StatusCode::kInvalidArgument, {"negative extent"});
}

TEST(Inputs, MessagesNameTheInputAndWhatWasExpected) {
  const std::vector<LayerInput> raw = {{true, {DType::kF32, {2, 3}}, nullptr},
                                       {true, {DType::kF64, {4}}, nullptr}};
  EXPECT_EQ(Inputs::check(raw, {"X"}).status().message(),
            "the node has 2 inputs, the operator takes at most 1 at this opset");
  EXPECT_EQ(Inputs::check(raw, {"X", "W", "B"}).status().message(), "input 'B' is missing");
  const auto in = Inputs::check(raw, {"X", "W"}, {"B"});
  ASSERT_TRUE(in.ok());
  EXPECT_FALSE(in->has(2));
  EXPECT_EQ(in->expect_rank(0, 4).message(), "input 'X' float32 (2, 3): expected rank 4");
  EXPECT_EQ(in->expect_shape(1, {5}).message(), "input 'W' float64 (4): expected the shape (5)");
  EXPECT_EQ(in->expect_same_dtype().message(),
            "input 'W' float64 (4): expected float32, the type of input 'X'");
  EXPECT_EQ(in->expect_float32().message(), "input 'W' float64 (4): only float32 is computed yet");
  EXPECT_EQ(in->expect_float32().code(), StatusCode::kUnsupported);
  EXPECT_EQ(in->constant_integers(0).status().code(), StatusCode::kInvalidModel);
}

}  // namespace
}  // namespace tessera
