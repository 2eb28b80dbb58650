// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/compiled_model.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tests/engine/test_models.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Every test runs on every backend of the build; one whose device is missing is skipped by name.
class CompiledModelOn : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto opened = open_device(GetParam());
    if (!opened.ok()) GTEST_SKIP() << opened.status().message();
    device = *opened;
  }

  std::shared_ptr<const CompiledModel> compile(const std::shared_ptr<const Model>& model,
                                               const std::vector<Shape>& shapes,
                                               const CompileOptions& options = {}) {
    auto compiled = CompiledModel::compile(model, device, shapes, options);
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return compiled.ok() ? *compiled : nullptr;
  }

  // Runs a context once on the given inputs and returns all outputs.
  std::vector<Tensor> run(const CompiledModel& compiled, ExecutionContext& context,
                          const std::vector<Tensor>& inputs) {
    auto stream = std::move(*device.device->create_stream());
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_TRUE(
          stream->copy_to_device(context.input(i), inputs[i].data(), inputs[i].size_bytes()).ok());
    }
    const Status enqueued = context.enqueue(*stream);
    EXPECT_TRUE(enqueued.ok()) << enqueued.message();
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < compiled.outputs().size(); ++i) {
      outputs.push_back(std::move(*Tensor::allocate(compiled.outputs()[i])));
      EXPECT_TRUE(
          stream
              ->copy_to_host(outputs[i].mutable_data(), context.output(i), outputs[i].size_bytes())
              .ok());
    }
    EXPECT_TRUE(stream->synchronize().ok());
    return outputs;
  }

  OpenDevice device;
};

TEST_P(CompiledModelOn, FusedNetworkEqualsThePlainReference) {
  OnnxBuilder builder;
  add_residual_network(builder);
  const auto model = build_model(builder);
  for (const int64_t batch : {1, 2, 7}) {
    const std::vector<Tensor> x = {random_tensor({batch, 3, 9, 7}, 30)};
    const auto truth = run_model(model, "reference", x, false);
    for (const bool optimize : {false, true}) {
      const auto outputs = run_model(model, GetParam(), x, optimize);
      ASSERT_EQ(outputs.size(), 1u);
      // Probabilities; logits of some tens lose about 1e-5 to float32.
      EXPECT_LE(largest_difference(outputs[0], truth[0]), 1e-4) << "batch " << batch;
    }
  }
}

// The second run of a context captures a graph and the third replays it: all three must agree, on
// fresh inputs each time.
TEST_P(CompiledModelOn, RepeatedRunsFollowTheirInputs) {
  OnnxBuilder builder;
  add_residual_network(builder);
  const auto model = build_model(builder);
  const auto compiled = compile(model, {{2, 3, 9, 7}});
  auto context = std::move(*compiled->create_context());
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    const std::vector<Tensor> x = {random_tensor({2, 3, 9, 7}, seed)};
    const auto outputs = run(*compiled, *context, x);
    const auto truth = run_model(model, "reference", x, false);
    EXPECT_LE(largest_difference(outputs[0], truth[0]), 1e-4) << "run " << seed;
  }
}

TEST_P(CompiledModelOn, ContextsDoNotShareMemory) {
  OnnxBuilder builder;
  add_residual_network(builder);
  const auto model = build_model(builder);
  const auto compiled = compile(model, {{1, 3, 9, 7}});
  auto first = std::move(*compiled->create_context());
  auto second = std::move(*compiled->create_context());
  const std::vector<Tensor> a = {random_tensor({1, 3, 9, 7}, 1)};
  const std::vector<Tensor> b = {random_tensor({1, 3, 9, 7}, 2)};
  const auto before = run(*compiled, *first, a);
  run(*compiled, *second, b);
  const auto after = run(*compiled, *first, a);
  EXPECT_EQ(largest_difference(before[0], after[0]), 0.0);
  EXPECT_NE(first->input(0), second->input(0));
}

TEST_P(CompiledModelOn, TraceNamesTheKernelsOfThePlan) {
  OnnxBuilder builder;
  add_residual_network(builder);
  const auto compiled = compile(build_model(builder), {{1, 3, 9, 7}});
  auto context = std::move(*compiled->create_context());
  run(*compiled, *context, {random_tensor({1, 3, 9, 7}, 1)});
  std::vector<std::string> planned;
  for (const StepReport& step : compiled->report().steps) planned.push_back(step.kernel);
  EXPECT_FALSE(planned.empty());
  EXPECT_EQ(context->trace(), planned);
}

// An alternative that the plan names is forced, and the trace proves that it ran.
TEST_P(CompiledModelOn, ForcedKernelRuns) {
  OnnxBuilder builder;
  add_residual_network(builder);
  const auto model = build_model(builder);
  const auto plain = compile(model, {{1, 3, 9, 7}});
  for (const StepReport& step : plain->report().steps) {
    for (const std::string& alternative : step.alternatives) {
      const std::string node = step.name.substr(0, step.name.find('+'));
      CompileOptions options;
      options.choice.layer_backends = {{node, alternative}};
      const auto forced = compile(model, {{1, 3, 9, 7}}, options);
      ASSERT_NE(forced, nullptr);
      auto context = std::move(*forced->create_context());
      run(*forced, *context, {random_tensor({1, 3, 9, 7}, 1)});
      EXPECT_THAT(context->trace(), ::testing::Contains(alternative));
    }
  }
}

// The same for all layers of a family at once, whatever kernels the backend has.
TEST_P(CompiledModelOn, ABackendForTheWholeModelRunsEveryLayerOfItsFamily) {
  OnnxBuilder builder;
  add_residual_network(builder);
  const auto model = build_model(builder);
  size_t ran = 0;
  for (const KernelEntry* entry : device.backend->kernels()) {
    CompileOptions options;
    options.choice.backend = std::string(entry->name);
    const auto compiled =
        CompiledModel::compile(model, device, std::vector<Shape>{{1, 3, 9, 7}}, options);
    if (!compiled.ok()) {
      EXPECT_EQ(compiled.status().code(), StatusCode::kUnsupported);
      // A GEMM kernel is also tried under the convolutions that are products: conv_im2col/NAME.
      const std::string name(entry->name);
      EXPECT_THAT(compiled.status().message(),
                  ::testing::AnyOf(HasSubstr("kernel " + name), HasSubstr("/" + name)));
      continue;
    }
    auto context = std::move(*(*compiled)->create_context());
    run(**compiled, *context, {random_tensor({1, 3, 9, 7}, 1)});
    const auto& steps = (*compiled)->report().steps;
    ASSERT_EQ(context->trace().size(), steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].family != entry->family) continue;
      EXPECT_EQ(context->trace()[i], entry->name) << steps[i].name;
      ++ran;
    }
  }
  EXPECT_GT(ran, 0u);
}

TEST_P(CompiledModelOn, AForcedKernelOfAnotherKindIsRefused) {
  OnnxBuilder builder;
  add_residual_network(builder);
  CompileOptions options;
  options.choice.layer_backends = {{"softmax", std::string(device.backend->kernels()[0]->name)}};
  const auto compiled = CompiledModel::compile(build_model(builder), device,
                                               std::vector<Shape>{{1, 3, 9, 7}}, options);
  ASSERT_FALSE(compiled.ok());
  EXPECT_THAT(compiled.status().message(), HasSubstr("layer softmax"));
}

// An intermediate that is an output, read by two nodes, multiplied with itself: nothing may be
// overwritten in place.
TEST_P(CompiledModelOn, IntermediatesThatAreOutputsSurvive) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {2, 3})
      .node("Tanh", {"x"}, {"h"})
      .node("Relu", {"h"}, {"r"})
      .node("Mul", {"h", "h"}, {"square"})
      .node("Add", {"r", "square"}, {"y"})
      .output("h")
      .output("y")
      .output("r");
  const auto model = build_model(builder);
  const std::vector<Tensor> x = {random_tensor({2, 3}, 1)};
  const auto outputs = run_model(model, GetParam(), x);
  ASSERT_EQ(outputs.size(), 3u);
  for (int64_t i = 0; i < 6; ++i) {
    const double h = std::tanh(element_as_double(x[0], i));
    EXPECT_NEAR(element_as_double(outputs[0], i), h, 1e-6);
    EXPECT_NEAR(element_as_double(outputs[1], i), std::max(h, 0.0) + h * h, 1e-6);
    EXPECT_NEAR(element_as_double(outputs[2], i), std::max(h, 0.0), 1e-6);
  }
}

TEST_P(CompiledModelOn, AModelThatOnlyPassesItsInputOn) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {2, 3})
      .node("Identity", {"x"}, {"a"})
      .node("Reshape", {"a", "shape"}, {"y"})
      .initializer("shape", Tensor::from_values<int64_t>({1}, {6}))
      .initializer("c", Tensor::from_values<float>({2}, {1.5f, -2.0f}))
      .node("Identity", {"c"}, {"constant"})
      .output("y")
      .output("constant");
  const std::vector<Tensor> x = {random_tensor({2, 3}, 1)};
  for (const bool optimize : {false, true}) {
    const auto outputs = run_model(build_model(builder), GetParam(), x, optimize);
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(largest_difference(outputs[0], x[0].reshaped({6})), 0.0);
    EXPECT_EQ(outputs[1].values<float>()[1], -2.0f);
  }
}

TEST_P(CompiledModelOn, ABatchOfNothingGivesNothing) {
  OnnxBuilder builder;
  add_residual_network(builder);
  const auto outputs =
      run_model(build_model(builder), GetParam(), {random_tensor({0, 3, 9, 7}, 1)});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].shape(), (Shape{0, 5}));
}

TEST_P(CompiledModelOn, ArenaIsSmallerThanAllActivations) {
  OnnxBuilder builder;
  add_residual_network(builder);
  const auto compiled = compile(build_model(builder), {{4, 3, 9, 7}});
  EXPECT_LT(compiled->report().arena_bytes, compiled->report().unplanned_bytes);
}

// More operands than a library can number: another kernel has to take over.
TEST_P(CompiledModelOn, ConcatOfThousandsOfOperands) {
  constexpr int64_t kOperands = 4000;
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1, 2})
      .node("Concat", std::vector<std::string>(kOperands, "x"), {"y"}, {{"axis", int64_t{1}}})
      .output("y");
  const std::vector<Tensor> x = {Tensor::from_values<float>({1, 2}, {1.5f, -2.0f})};
  const auto outputs = run_model(build_model(builder), GetParam(), x);
  ASSERT_EQ(outputs.size(), 1u);
  ASSERT_EQ(outputs[0].shape(), (Shape{1, 2 * kOperands}));
  for (int64_t i = 0; i < 2 * kOperands; ++i) {
    ASSERT_EQ(outputs[0].values<float>()[i], i % 2 == 0 ? 1.5f : -2.0f) << i;
  }
}

// Weights that a kernel keeps in a form of its own are weights all the same.
TEST_P(CompiledModelOn, ReportsTheWeightsOfTheModel) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1, 8})
      .initializer("w", random_tensor({8, 16}, 1))
      .node("MatMul", {"x", "w"}, {"y"})
      .output("y");
  const auto compiled = compile(build_model(builder), {{1, 8}});
  EXPECT_EQ(compiled->report().constant_bytes, 8 * 16 * sizeof(float));
}

TEST_P(CompiledModelOn, AnotherShapeThanDeclaredIsRefused) {
  OnnxBuilder builder;
  add_residual_network(builder);
  const auto compiled =
      CompiledModel::compile(build_model(builder), device, std::vector<Shape>{{1, 4, 9, 7}});
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(compiled.status().message(), HasSubstr("(batch, 3, 9, 7)"));
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Backend* backend : backends()) names.emplace_back(backend->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Backends, CompiledModelOn, ::testing::ValuesIn(backend_names()),
                         [](const auto& param_info) { return param_info.param; });

TEST(OpenDevice, UnknownNamesAreUsageErrors) {
  EXPECT_EQ(open_device("tpu").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(open_device("reference:x").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(open_device("reference:").status().code(), StatusCode::kInvalidArgument);
}

TEST(OpenDevice, ADeviceThatIsNotThereIsUnavailable) {
  EXPECT_EQ(open_device("reference:1").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(open_device("cuda:99").status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tessera
