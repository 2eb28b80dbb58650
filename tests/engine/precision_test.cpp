// SPDX-License-Identifier: Apache-2.0
// Networks in float16, bfloat16 and mixtures, on the reference backend.
#include "engine/program/precision.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/executor/step_check.h"
#include "tests/engine/onnx_builder.h"
#include "tests/engine/test_models.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Shape kShape = {2, 3, 9, 7};

std::shared_ptr<const Model> residual_model() {
  OnnxBuilder builder;
  add_residual_network(builder);
  return build_model(builder);
}

struct NetworkRun {
  PlanReport report;
  std::vector<TensorDesc> outputs;
  Tensor result;
};

NetworkRun run_in(const PrecisionOptions& precision, const std::shared_ptr<const Model>& model,
                  const Tensor& x) {
  const OpenDevice device = *open_device("reference");
  CompileOptions options;
  options.precision = precision;
  const auto compiled =
      CompiledModel::compile(model, device, std::vector<Shape>{x.shape()}, options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  if (!compiled.ok()) return {};
  NetworkRun run{(*compiled)->report(), (*compiled)->outputs(),
                 std::move(*Tensor::allocate((*compiled)->outputs()[0]))};
  auto context = std::move(*(*compiled)->create_context());
  auto stream = std::move(*device.device->create_stream());
  EXPECT_TRUE(stream->copy_to_device(context->input(0), x.data(), x.size_bytes()).ok());
  EXPECT_TRUE(context->enqueue(*stream).ok());
  EXPECT_TRUE(
      stream->copy_to_host(run.result.mutable_data(), context->output(0), run.result.size_bytes())
          .ok());
  return run;
}

size_t casts(const PlanReport& report) {
  return static_cast<size_t>(std::count_if(report.steps.begin(), report.steps.end(),
                                           [](const auto& s) { return s.family == "cast"; }));
}

TEST(Precision, SixteenBitsStayNearFloat32AndKeepTheDtypesOfTheModel) {
  const Tensor x = random_tensor(kShape, 7);
  const NetworkRun exact = run_in({}, residual_model(), x);
  for (const auto& [precision, tolerance] :
       {std::pair(Precision::kFloat16, 0.02), std::pair(Precision::kBFloat16, 0.15)}) {
    const NetworkRun run = run_in({.model = precision}, residual_model(), x);
    ASSERT_EQ(run.outputs.size(), 1u);
    EXPECT_EQ(run.outputs[0].dtype, DType::kF32);
    EXPECT_EQ(run.report.precision, precision_name(precision));
    const double difference = largest_difference(run.result, exact.result);
    EXPECT_LE(difference, tolerance);  // probabilities
    EXPECT_GT(difference, 0.0) << "nothing was rounded to 16 bits";
    EXPECT_EQ(casts(run.report), 2u) << "one at the input, one at the output";
    for (const StepReport& step : run.report.steps) {
      if (step.family == "cast") continue;
      EXPECT_THAT(step.problem, HasSubstr(precision_name(precision)));
    }
  }
}

TEST(Precision, Tf32IsAPermissionForProductsOnly) {
  const NetworkRun run =
      run_in({.model = Precision::kTf32}, residual_model(), random_tensor(kShape, 7));
  EXPECT_EQ(casts(run.report), 0u);
  for (const StepReport& step : run.report.steps) {
    const bool is_product = step.family == "gemm" || step.family == "conv";
    EXPECT_EQ(step.problem.find("tf32") != std::string::npos, is_product) << step.problem;
  }
}

void add_chain(OnnxBuilder& builder) {
  builder.input("x", DType::kF32, {1, 4})
      .node("Tanh", {"x"}, {"a"}, {}, "first")
      .node("Tanh", {"a"}, {"b"}, {}, "second")
      .node("Tanh", {"b"}, {"c"}, {}, "third")
      .node("Tanh", {"b"}, {"d"}, {}, "fourth")
      .node("Add", {"c", "d"}, {"y"}, {}, "sum")
      .output("y");
}

std::shared_ptr<const Model> chain_model() {
  OnnxBuilder builder;
  add_chain(builder);
  return build_model(builder);
}

std::vector<std::string> layers(const PrecisionOptions& precision,
                                const std::shared_ptr<const Model>& model) {
  std::vector<std::string> names;
  const NetworkRun run = run_in(precision, model, random_tensor({1, 4}, 3));
  for (const StepReport& step : run.report.steps) names.push_back(step.name);
  return names;
}

TEST(Precision, ACastIsInsertedOnceWhereDtypesMeet) {
  const PrecisionOptions mixed = {
      .layers = {{"second", Precision::kFloat16}, {"t*", Precision::kFloat32}}};
  EXPECT_THAT(layers(mixed, chain_model()),
              ElementsAre("first", "cast(a)", "second", "cast(b)", "third", "fourth", "sum"));
  const PrecisionOptions all_but_one = {.model = Precision::kFloat16,
                                        .layers = {{"sum", Precision::kFloat32}}};
  EXPECT_THAT(
      layers(all_but_one, chain_model()),
      ElementsAre("cast(x)", "first", "second", "third", "fourth", "cast(c)", "cast(d)", "sum"));
}

// The model casts to float16 itself: nothing is left to convert there.
TEST(Precision, ACastOfTheModelThatHasNothingToDoGoes) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1, 4})
      .node("Tanh", {"x"}, {"a"}, {}, "first")
      .node("Cast", {"a"}, {"b"}, {{"to", int64_t{10}}}, "narrow")
      .node("Cast", {"b"}, {"y"}, {{"to", int64_t{1}}}, "wide")
      .output("y");
  EXPECT_THAT(layers({.model = Precision::kFloat16}, build_model(builder)),
              ElementsAre("cast(x)", "first", "wide"));
}

TEST(Precision, PatternsThatMatchNothingAreUsageErrors) {
  CompileOptions options;
  options.precision.layers = {{"nowhere", Precision::kFloat16}};
  const auto compiled = CompiledModel::compile(chain_model(), *open_device("reference"),
                                               std::vector<Shape>{{1, 4}}, options);
  EXPECT_EQ(compiled.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(compiled.status().message(), HasSubstr("'nowhere'; the layers are: first"));
}

// A backend whose only unary kernel computes float32.
OpenDevice float32_device() {
  static const KernelEntry narrow = [] {
    static const KernelEntry* const full =
        kernels_named("reference_unary", *find_backend("reference"))[0];
    KernelEntry entry = *full;
    entry.supports = [](const Problem& problem, const DeviceInfo& device) {
      const bool is_float32 = std::get<UnaryProblem>(problem).dtype == DType::kF32;
      return is_float32 ? full->supports(problem, device) : Support::no("only float32");
    };
    return entry;
  }();
  static Backend backend = *find_backend("reference");
  backend.kernels = [] {
    static const std::vector<const KernelEntry*> all = [] {
      std::vector<const KernelEntry*> list;
      for (const KernelEntry* entry : find_backend("reference")->kernels()) {
        list.push_back(entry->family == "unary" ? &narrow : entry);
      }
      return list;
    }();
    return std::span<const KernelEntry* const>(all);
  };
  OpenDevice device = *open_device("reference");
  device.backend = &backend;
  return device;
}

TEST(Precision, WhatNoKernelCanRunStopsOrFallsBackWhenAllowed) {
  CompileOptions options;
  options.precision.model = Precision::kFloat16;
  std::vector<std::string> told;
  options.tell = [&](const std::string& sentence) { told.push_back(sentence); };
  const std::vector<Shape> shapes = {{1, 4}};
  const auto refused = CompiledModel::compile(chain_model(), float32_device(), shapes, options);
  EXPECT_EQ(refused.status().code(), StatusCode::kUnsupported);
  for (const char* layer : {"first", "second", "third", "fourth"}) {
    EXPECT_THAT(refused.status().message(), HasSubstr(std::string("layer ") + layer + ": "));
  }
  EXPECT_THAT(refused.status().message(), HasSubstr("only float32"));
  EXPECT_THAT(refused.status().message(), HasSubstr("--allow-fallback"));
  options.precision.allow_fallback = true;
  const auto fallen = CompiledModel::compile(chain_model(), float32_device(), shapes, options);
  ASSERT_TRUE(fallen.ok()) << fallen.status().message();
  ASSERT_EQ(told.size(), 4u);
  EXPECT_THAT(told[0], HasSubstr("layer first runs in float32, not in float16"));
}

TEST(Precision, CheckFindsOverflowPerLayer) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1, 4})
      .initializer("big", Tensor::from_values<float>({4}, {1, 1, 60000, 1}))
      .node("Mul", {"x", "big"}, {"a"}, {}, "scale")
      .node("Add", {"a", "a"}, {"b"}, {}, "double")
      .node("Tanh", {"b"}, {"y"}, {}, "squash")
      .output("y");
  CompileOptions options;
  options.precision.model = Precision::kFloat16;
  const std::vector<Tensor> x = {Tensor::from_values<float>({1, 4}, {1, 1, 1, 1})};
  const auto checks = check_steps(build_model(builder), *open_device("reference"), x, options);
  ASSERT_TRUE(checks.ok()) << checks.status().message();
  for (const StepCheck& check : *checks) {
    EXPECT_EQ(check.ok(), check.name != "double") << check.name << ": " << check.overflow;
    if (check.name != "double") continue;
    EXPECT_THAT(check.overflow, HasSubstr("1 of 4 elements overflow float16"));
    EXPECT_THAT(check.overflow, HasSubstr("120000"));
    EXPECT_THAT(check.overflow, HasSubstr("--layer-precisions 'double:fp32'"));
  }
  EXPECT_EQ(parse_precision("fp64"), std::nullopt);
}

}  // namespace
}  // namespace tessera
