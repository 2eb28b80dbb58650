// SPDX-License-Identifier: Apache-2.0
#include "engine/passes/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/test_models.h"

namespace tessera {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Graph load(const OnnxBuilder& builder) {
  auto graph = builder.load();
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return graph.ok() ? std::move(*graph) : Graph();
}

std::vector<std::string> op_types(const Graph& graph) {
  std::vector<std::string> types;
  for (const Node& node : graph.nodes) types.push_back(node.op_type);
  return types;
}

PassLog infer(Graph& graph, const std::vector<Shape>& shapes) {
  auto log = infer_shapes_and_fold(graph, shapes);
  EXPECT_TRUE(log.ok()) << log.status().message();
  return log.ok() ? std::move(*log) : PassLog();
}

const Value& value_named(const Graph& graph, const std::string& name) {
  for (const Value& value : graph.values) {
    if (value.name == name) return value;
  }
  ADD_FAILURE() << "no value " << name;
  return graph.values.front();
}

// x.view(x.size(0), -1) as PyTorch has exported it for years.
TEST(InferShapesAndFold, ShapeArithmeticIsFolded) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {"batch", 3, 4})
      .node("Shape", {"x"}, {"shape"})
      .initializer("zero", Tensor::from_values<int64_t>({}, {0}))
      .node("Gather", {"shape", "zero"}, {"n"}, {{"axis", int64_t{0}}})
      .initializer("axes", Tensor::from_values<int64_t>({1}, {0}))
      .node("Unsqueeze", {"n", "axes"}, {"n1"})
      .initializer("rest", Tensor::from_values<int64_t>({1}, {-1}))
      .node("Concat", {"n1", "rest"}, {"target"}, {{"axis", int64_t{0}}})
      .node("Reshape", {"x", "target"}, {"y"})
      .output("y");
  Graph graph = load(builder);
  infer(graph, {{5, 3, 4}});
  EXPECT_EQ(value_named(graph, "y").desc->shape, (Shape{5, 12}));
  ASSERT_TRUE(value_named(graph, "target").constant.has_value());
  EXPECT_EQ(elements_as_int64(*value_named(graph, "target").constant).value(),
            (std::vector<int64_t>{5, -1}));
  ASSERT_TRUE(remove_dead_nodes(graph).ok());
  EXPECT_THAT(op_types(graph), ElementsAre("Reshape"));
}

TEST(InferShapesAndFold, ReportsEveryBrokenNode) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1, 2, 5, 5})
      .initializer("w", random_tensor({4, 3, 3, 3}, 1))
      .node("Conv", {"x", "w"}, {"a"}, {}, "first")
      .node("Relu", {"a"}, {"b"}, {}, "hangs_on_first")
      .initializer("v", random_tensor({7, 2}, 2))
      .node("MatMul", {"x", "v"}, {"c"}, {}, "second")
      .output("b")
      .output("c");
  Graph graph = load(builder);
  const auto log = infer_shapes_and_fold(graph, std::vector<Shape>{{1, 2, 5, 5}});
  ASSERT_FALSE(log.ok());
  EXPECT_THAT(log.status().message(), HasSubstr("first"));
  EXPECT_THAT(log.status().message(), HasSubstr("second"));
  EXPECT_THAT(log.status().message(), ::testing::Not(HasSubstr("hangs_on_first")));
}

// With nothing left open the contradiction shows when the file is loaded, before any input is read.
TEST(ModelLoad, AContradictionOfFixedShapesIsFoundAtOnce) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1, 2, 5, 5})
      .initializer("w", random_tensor({4, 3, 3, 3}, 1))
      .node("Conv", {"x", "w"}, {"a"}, {}, "conv_a")
      .node("Conv", {"x", "w"}, {"b"}, {}, "conv_b")
      .output("a")
      .output("b");
  const TemporaryFolder folder;
  builder.write(folder.path("model.onnx"));
  const auto model = Model::load(folder.path("model.onnx"));
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), StatusCode::kInvalidModel);
  EXPECT_THAT(model.status().message(), HasSubstr("conv_a"));
  EXPECT_THAT(model.status().message(), HasSubstr("conv_b"));
}

TEST(InferShapesAndFold, LargeResultsAreNotFolded) {
  // 1 element times a broadcast of (4096, 4096) would grow the model by 64 MiB.
  OnnxBuilder builder;
  builder.initializer("a", random_tensor({4096, 1}, 1))
      .initializer("b", random_tensor({1, 4096}, 2))
      .node("Mul", {"a", "b"}, {"outer"})
      .input("x", DType::kF32, {1})
      .node("Add", {"outer", "x"}, {"y"})
      .output("y");
  Graph graph = load(builder);
  infer(graph, {{1}});
  EXPECT_FALSE(value_named(graph, "outer").constant.has_value());
  EXPECT_EQ(value_named(graph, "outer").desc->shape, (Shape{4096, 4096}));
}

TEST(RemoveIdentities, ChainOfIdentitiesBecomesNothing) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {2})
      .node("Identity", {"x"}, {"a"})
      .node("Dropout", {"a"}, {"b"})
      .node("Identity", {"b"}, {"y"})
      .output("y");
  Graph graph = load(builder);
  infer(graph, {{2}});
  ASSERT_TRUE(remove_identities(graph).ok());
  ASSERT_TRUE(remove_dead_nodes(graph).ok());
  EXPECT_THAT(graph.nodes, IsEmpty());
  EXPECT_EQ(graph.outputs, graph.inputs);
}

TEST(FoldBatchNorm, FoldsIntoConvAndKeepsItsName) {
  OnnxBuilder builder;
  add_residual_network(builder);
  Graph graph = load(builder);
  infer(graph, {{2, 3, 9, 7}});
  const auto log = fold_batch_norm(graph);
  ASSERT_TRUE(log.ok());
  EXPECT_THAT(*log, ElementsAre("folded bn1 into conv1", "folded bn2 into conv2"));
  EXPECT_THAT(op_types(graph), ::testing::Not(Contains("BatchNormalization")));
  EXPECT_THAT(graph.nodes[0].folded_names, ElementsAre("bn1"));
}

// The Conv's own result is asked for too: folding would change it.
TEST(FoldBatchNorm, LeavesAConvWithAnotherReaderAlone) {
  OnnxBuilder builder;
  add_residual_network(builder);
  builder.output("c1");
  Graph graph = load(builder);
  infer(graph, {{2, 3, 9, 7}});
  const auto log = fold_batch_norm(graph);
  ASSERT_TRUE(log.ok());
  EXPECT_THAT(*log, ElementsAre("folded bn2 into conv2"));
}

class FoldBatchNormIntoGemm : public ::testing::TestWithParam<std::tuple<bool, bool, float>> {};

TEST_P(FoldBatchNormIntoGemm, ComputesTheSame) {
  const auto [transposed, has_bias, beta] = GetParam();
  OnnxBuilder builder;
  std::vector<std::string> inputs = {"x", "w"};
  builder.input("x", DType::kF32, {"batch", 4})
      .initializer("w", random_tensor(transposed ? Shape{3, 4} : Shape{4, 3}, 1))
      .initializer("b", random_tensor({3}, 2));
  if (has_bias) inputs.emplace_back("b");
  builder
      .node("Gemm", inputs, {"g"},
            {{"transB", int64_t{transposed}}, {"alpha", 0.5f}, {"beta", beta}}, "fc")
      .initializer("scale", random_tensor({3}, 3))
      .initializer("shift", random_tensor({3}, 4))
      .initializer("mean", random_tensor({3}, 5))
      .initializer("variance", Tensor::from_values<float>({3}, {0.5f, 1.0f, 2.0f}))
      .node("BatchNormalization", {"g", "scale", "shift", "mean", "variance"}, {"y"}, {}, "bn")
      .output("y");
  Graph graph = load(builder);
  infer(graph, {{2, 4}});
  const auto log = fold_batch_norm(graph);
  ASSERT_TRUE(log.ok());
  EXPECT_THAT(*log, ElementsAre("folded bn into fc"));
  const auto model = build_model(builder);
  const std::vector<Tensor> x = {random_tensor({2, 4}, 9)};
  const auto plain = run_model(model, "reference", x, false);
  const auto folded = run_model(model, "reference", x, true);
  ASSERT_EQ(plain.size(), 1u);
  ASSERT_EQ(folded.size(), 1u);
  EXPECT_LE(largest_difference(plain[0], folded[0]), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Forms, FoldBatchNormIntoGemm,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(),
                                            ::testing::Values(1.0f, 2.0f, 0.0f)));

TEST(RemoveDeadNodes, KeepsWhatAnOutputNeeds) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {2})
      .node("Relu", {"x"}, {"y"}, {}, "live")
      .node("Tanh", {"x"}, {"unused"}, {}, "dead1")
      .node("Relu", {"unused"}, {"unused2"}, {}, "dead2")
      .output("y");
  Graph graph = load(builder);
  infer(graph, {{2}});
  const auto log = remove_dead_nodes(graph);
  ASSERT_TRUE(log.ok());
  EXPECT_THAT(*log, ElementsAre("removed dead dead1", "removed dead dead2"));
  EXPECT_THAT(op_types(graph), ElementsAre("Relu"));
}

}  // namespace
}  // namespace tessera
