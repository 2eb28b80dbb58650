// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/graph/graph.h"
#include "engine/model/input_shapes.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Dims = std::vector<OnnxBuilder::Dim>;

// A model that passes its inputs "in0", "in1", ... on.
std::shared_ptr<const Model> model_with_inputs(const std::vector<Dims>& inputs) {
  OnnxBuilder builder;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = "in" + std::to_string(i);
    builder.input(name, DType::kF32, inputs[i]).output(name);
  }
  Result<Graph> graph = builder.load();
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return std::make_shared<const Model>(std::move(*graph), "test.onnx");
}

InputShapes resolve(const std::vector<Dims>& inputs, int64_t batch,
                    const std::map<std::string, int64_t>& symbols = {}) {
  const auto resolved = resolve_input_shapes(*model_with_inputs(inputs), batch, symbols);
  EXPECT_TRUE(resolved.ok()) << resolved.status().message();
  return resolved.ok() ? *resolved : InputShapes();
}

Status failure(const std::vector<Dims>& inputs, int64_t batch,
               const std::map<std::string, int64_t>& symbols = {}) {
  return resolve_input_shapes(*model_with_inputs(inputs), batch, symbols).status();
}

TEST(Model, DescribesInputsAndOutputs) {
  const auto model = model_with_inputs({{"batch", 3, ""}});
  ASSERT_EQ(model->inputs().size(), 1u);
  const ValueInfo& input = model->inputs()[0];
  EXPECT_EQ(input.name, "in0");
  EXPECT_EQ(input.dtype, DType::kF32);
  EXPECT_THAT(input.extents, ElementsAre(-1, 3, -1));
  EXPECT_THAT(input.symbols, ElementsAre("batch", "", ""));
  EXPECT_EQ(model->outputs()[0].name, "in0");
}

TEST(Model, LoadsAFile) {
  const TemporaryFolder folder;
  OnnxBuilder builder;
  builder.output("w").initializer("w", Tensor::from_values<int64_t>({2}, {1, 2}));
  builder.metadata("key", "value").write(folder.path("model.onnx"));
  const auto model = Model::load(folder.path("model.onnx"));
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ((*model)->path(), folder.path("model.onnx"));
  EXPECT_EQ((*model)->metadata().at("key"), "value");
  EXPECT_THAT((*model)->inputs(), IsEmpty());
  EXPECT_EQ((*model)->outputs()[0].dtype, DType::kI64);
  EXPECT_THAT((*model)->outputs()[0].extents, ElementsAre(2));
  EXPECT_EQ(Model::load(folder.path("none.onnx")).status().code(), StatusCode::kNotFound);
}

TEST(InputShapes, OpenFirstDimensionIsTheBatch) {
  for (const int64_t batch : {0, 1, 7}) {
    const InputShapes resolved = resolve({{"N", 3}, {"", 2}}, batch);
    EXPECT_THAT(resolved.shapes, ElementsAre(Shape{batch, 3}, Shape{batch, 2}));
    EXPECT_EQ(resolved.batch, batch);
    EXPECT_FALSE(resolved.batch_is_fixed);
    EXPECT_THAT(resolved.notes, IsEmpty());
  }
}

TEST(InputShapes, BatchThatTheModelFixes) {
  const InputShapes resolved = resolve({{2, 3}, {"N", 4}}, 8);
  EXPECT_THAT(resolved.shapes, ElementsAre(Shape{2, 3}, Shape{2, 4}));
  EXPECT_EQ(resolved.batch, 2);
  EXPECT_TRUE(resolved.batch_is_fixed);
}

TEST(InputShapes, SymbolsGiveOtherDimensions) {
  const InputShapes resolved =
      resolve({{"N", 3, "height", ""}, {"N", "height"}}, 2, {{"height", 5}, {"in0:3", 6}});
  EXPECT_THAT(resolved.shapes, ElementsAre(Shape{2, 3, 5, 6}, Shape{2, 5}));
  EXPECT_THAT(resolved.notes, IsEmpty());
}

TEST(InputShapes, DimensionsNotGivenAreOneWithANote) {
  const InputShapes resolved = resolve({{"N", "height", ""}, {"N", "height"}}, 2);
  EXPECT_THAT(resolved.shapes, ElementsAre(Shape{2, 1, 1}, Shape{2, 1}));
  EXPECT_THAT(
      resolved.notes,
      ElementsAre("symbol 'height' is not given: taken as 1 (set it with --shapes)",
                  "open dimension 'in0:2' is not given: taken as 1 (set it with --shapes)"));
}

TEST(InputShapes, BatchSymbolElsewhereIsTheBatchToo) {
  EXPECT_THAT(resolve({{"N", "N"}}, 3).shapes, ElementsAre(Shape{3, 3}));
  EXPECT_THAT(resolve({{4, "N"}, {"N", 2}}, 9).shapes, ElementsAre(Shape{4, 4}, Shape{4, 2}));
}

TEST(InputShapes, SymbolOfTheBatchOverridesIt) {
  const InputShapes resolved = resolve({{"N", 3}}, 2, {{"N", 5}});
  EXPECT_THAT(resolved.shapes, ElementsAre(Shape{5, 3}));
  EXPECT_EQ(resolved.batch, 5);
}

TEST(InputShapes, ScalarsAndModelsWithoutInputsHaveABatchOfOne) {
  EXPECT_EQ(resolve({Dims{}}, 4).batch, 1);
  EXPECT_TRUE(resolve({Dims{}}, 4).batch_is_fixed);
  EXPECT_THAT(resolve({Dims{}}, 4).shapes, ElementsAre(Shape{}));
}

TEST(InputShapes, UnknownSymbolIsRefusedWithTheKnownOnes) {
  const Status status = failure({{"N", "width"}}, 1, {{"heigth", 3}});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "the model has no open dimension 'heigth'; its open dimensions are 'N', 'width'");
  EXPECT_THAT(failure({{1, 2}}, 1, {{"N", 3}}).message(),
              HasSubstr("all its dimensions are fixed"));
  EXPECT_EQ(failure({{"N", 2}}, 1, {{"in0:0", 3}}).code(), StatusCode::kInvalidArgument);
}

TEST(InputShapes, NegativeAndEnormousSizesAreRefused) {
  EXPECT_EQ(failure({{"N", 2}}, -1).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(failure({{"N", "W"}}, 1, {{"W", -2}}).code(), StatusCode::kInvalidArgument);
  const Status status = failure({{"N", "W"}}, INT64_MAX, {{"W", 8}});
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_THAT(status.message(), HasSubstr("input 'in0'"));
}

TEST(InputShapes, InputOfUnknownRankIsRefused) {
  Graph graph;
  Value& value = graph.values.emplace_back();
  value.name = "x";
  value.declared_dtype = DType::kF32;
  graph.inputs = {0};
  const Model model(std::move(graph), "test.onnx");
  const Status status = resolve_input_shapes(model, 1).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("input 'x' declares no shape"));
}

}  // namespace
}  // namespace tessera
