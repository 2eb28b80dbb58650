// SPDX-License-Identifier: Apache-2.0
#include "engine/program/fuse_epilogues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/test_models.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;

Program lower(const OnnxBuilder& builder, const std::vector<Shape>& shapes) {
  auto graph = builder.load();
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_TRUE(infer_shapes_and_fold(*graph, shapes).ok());
  EXPECT_TRUE(remove_identities(*graph).ok());
  EXPECT_TRUE(remove_dead_nodes(*graph).ok());
  EXPECT_TRUE(fold_batch_norm(*graph).ok());
  auto program = lower_graph(*graph);
  EXPECT_TRUE(program.ok()) << program.status().message();
  return std::move(*program);
}

std::vector<std::string> step_names(const Program& program) {
  std::vector<std::string> names;
  for (const Step& step : program.steps) names.push_back(step.name());
  return names;
}

bool always(const Step&) { return true; }

TEST(FuseEpilogues, ResidualBlockBecomesTwoConvolutions) {
  OnnxBuilder builder;
  add_residual_network(builder);
  Program program = lower(builder, {{2, 3, 9, 7}});
  fuse_epilogues(program, always);
  EXPECT_THAT(step_names(program),
              ElementsAre("conv1+bn1+relu1", "conv2+bn2+add+relu2", "pool", "fc", "softmax"));
  const auto& second = std::get<ConvProblem>(program.steps[1].problem);
  EXPECT_TRUE(second.epilogue.has_bias);
  EXPECT_TRUE(second.epilogue.has_residual);
  EXPECT_EQ(second.epilogue.activation.kind, ActivationKind::kRelu);
  EXPECT_EQ(program.steps[1].inputs[ConvProblem::kResidual], program.steps[0].output);
}

// Both sides of the addition are convolutions: the later takes the earlier as its residual.
TEST(FuseEpilogues, ProjectionShortcutIsAResidual) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1, 2, 4, 4})
      .initializer("w", random_tensor({2, 2, 1, 1}, 1))
      .node("Conv", {"x", "w"}, {"a"}, {}, "left")
      .node("Conv", {"x", "w"}, {"b"}, {}, "right")
      .node("Add", {"a", "b"}, {"y"}, {}, "add")
      .output("y");
  Program program = lower(builder, {{1, 2, 4, 4}});
  fuse_epilogues(program, always);
  EXPECT_THAT(step_names(program), ElementsAre("left", "right+add"));
  EXPECT_EQ(program.steps[1].inputs[ConvProblem::kResidual], program.steps[0].output);
}

TEST(FuseEpilogues, AdditionOfAConstantBecomesTheBias) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {2, 3})
      .initializer("w", random_tensor({3, 4}, 1))
      .initializer("b", random_tensor({4}, 2))
      .node("MatMul", {"x", "w"}, {"m"}, {}, "matmul")
      .node("Add", {"b", "m"}, {"y"}, {}, "add")
      .output("y");
  Program program = lower(builder, {{2, 3}});
  fuse_epilogues(program, always);
  EXPECT_THAT(step_names(program), ElementsAre("matmul+add"));
  EXPECT_TRUE(std::get<GemmProblem>(program.steps[0].problem).epilogue.has_bias);
}

TEST(FuseEpilogues, PerChannelConstantAfterConvBecomesTheBias) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {2, 3, 5, 5})
      .initializer("w", random_tensor({4, 3, 3, 3}, 1))
      .initializer("b", random_tensor({4, 1, 1}, 2))
      .node("Conv", {"x", "w"}, {"m"}, {}, "conv")
      .node("Add", {"m", "b"}, {"y"}, {}, "plus")
      .output("y");
  Program program = lower(builder, {{2, 3, 5, 5}});
  fuse_epilogues(program, always);
  EXPECT_THAT(step_names(program), ElementsAre("conv+plus"));
}

// (4, 1) after a (4, 4) product has as many values as columns, but one per row.
TEST(FuseEpilogues, AColumnVectorIsNoBiasPerColumn) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {4, 3})
      .initializer("w", random_tensor({3, 4}, 1))
      .initializer("b", random_tensor({4, 1}, 2))
      .node("MatMul", {"x", "w"}, {"m"}, {}, "matmul")
      .node("Add", {"m", "b"}, {"y"}, {}, "add")
      .output("y");
  Program program = lower(builder, {{4, 3}});
  fuse_epilogues(program, always);
  EXPECT_THAT(step_names(program), ElementsAre("matmul", "add"));
}

TEST(FuseEpilogues, AnIntermediateThatIsAnOutputStays) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {2, 3})
      .initializer("w", random_tensor({3, 4}, 1))
      .node("MatMul", {"x", "w"}, {"m"}, {}, "matmul")
      .node("Relu", {"m"}, {"y"}, {}, "relu")
      .output("m")
      .output("y");
  Program program = lower(builder, {{2, 3}});
  fuse_epilogues(program, always);
  EXPECT_THAT(step_names(program), ElementsAre("matmul", "relu"));
}

TEST(FuseEpilogues, AProductAddedToItselfStays) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {2, 3})
      .initializer("w", random_tensor({3, 4}, 1))
      .node("MatMul", {"x", "w"}, {"m"}, {}, "matmul")
      .node("Add", {"m", "m"}, {"y"}, {}, "add")
      .output("y");
  Program program = lower(builder, {{2, 3}});
  fuse_epilogues(program, always);
  EXPECT_THAT(step_names(program), ElementsAre("matmul", "add"));
}

// An activation comes last in an epilogue: what follows it cannot go in.
TEST(FuseEpilogues, NothingIsFusedAfterAnActivation) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {2, 3})
      .initializer("w", random_tensor({3, 3}, 1))
      .node("MatMul", {"x", "w"}, {"m"}, {}, "matmul")
      .node("Relu", {"m"}, {"r"}, {}, "relu")
      .node("Add", {"r", "x"}, {"y"}, {}, "add")
      .output("y");
  Program program = lower(builder, {{2, 3}});
  fuse_epilogues(program, always);
  EXPECT_THAT(step_names(program), ElementsAre("matmul+relu", "add"));
}

TEST(FuseEpilogues, NoKernelNoFusion) {
  OnnxBuilder builder;
  add_residual_network(builder);
  Program program = lower(builder, {{2, 3, 9, 7}});
  const auto no_residual = [](const Step& step) {
    const auto* conv = std::get_if<ConvProblem>(&step.problem);
    return conv == nullptr || !conv->epilogue.has_residual;
  };
  fuse_epilogues(program, no_residual);
  EXPECT_THAT(step_names(program),
              ElementsAre("conv1+bn1+relu1", "conv2+bn2", "add", "relu2", "pool", "fc", "softmax"));
}

}  // namespace
}  // namespace tessera
