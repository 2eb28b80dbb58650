// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/tune.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/onnx_builder.h"
#include "tests/engine/test_models.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

const std::vector<Shape> kShapes = {{1, 3, 9, 7}};

std::shared_ptr<const Model> residual_model() {
  OnnxBuilder builder;
  add_residual_network(builder);
  return build_model(builder);
}

TuneOptions quick() {
  TuneOptions options;
  options.timing.budget_seconds = 0.001;
  options.timing.most_samples = 2;
  return options;
}

TuneResult tune_on(const OpenDevice& device, const std::shared_ptr<TimingCache>& cache,
                   const TuneOptions& options = quick()) {
  auto result = tune(residual_model(), device, kShapes, cache, options);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? std::move(*result) : TuneResult();
}

class TuneOn : public ::testing::TestWithParam<std::string> {};

// The chosen kernel is the fastest correct one of its layer, and the trace of a model compiled with
// the plan proves that it runs.
TEST_P(TuneOn, ThePlanOfTheFastestKernelsRuns) {
  const auto device = open_device(GetParam());
  if (!device.ok()) GTEST_SKIP() << device.status().message();
  const TuneResult result = tune_on(*device, std::make_shared<TimingCache>());
  EXPECT_EQ(result.remaining, 0u);
  std::vector<std::string> chosen;
  for (const TuneLayer& layer : result.layers) {
    chosen.push_back(layer.step.kernel);
    std::string fastest;
    double least = 0;
    for (const TuneCandidate& candidate : layer.candidates) {
      EXPECT_TRUE(candidate.measurement || !candidate.reason.empty()) << candidate.kernel;
      if (!candidate.measurement || !candidate.measurement->is_correct()) continue;
      EXPECT_GT(candidate.measurement->microseconds, 0);
      if (!fastest.empty() && candidate.measurement->microseconds >= least) continue;
      fastest = candidate.kernel;
      least = candidate.measurement->microseconds;
    }
    EXPECT_EQ(layer.step.kernel, fastest) << layer.step.name;
    EXPECT_THAT(layer.step.reason, HasSubstr("timing cache"));
  }
  CompileOptions options;
  options.choice.plan = std::make_shared<const Plan>(make_plan(result.report, *device));
  options.tell = [](const std::string& sentence) { ADD_FAILURE() << sentence; };
  const auto compiled = CompiledModel::compile(residual_model(), *device, kShapes, options);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto context = std::move(*(*compiled)->create_context());
  auto stream = std::move(*device->device->create_stream());
  ASSERT_TRUE(context->enqueue(*stream).ok());
  ASSERT_TRUE(stream->synchronize().ok());
  EXPECT_EQ(context->trace(), chosen);
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Backend* backend : backends()) names.emplace_back(backend->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Backends, TuneOn, ::testing::ValuesIn(backend_names()),
                         [](const auto& param_info) { return param_info.param; });

// What is in the cache is not measured again, and what time did not allow is left over.
TEST(Tune, GoesOnWhereItWasStopped) {
  const OpenDevice device = *open_device("reference");
  const auto cache = std::make_shared<TimingCache>();
  std::atomic<bool> cancel = false;
  size_t steps = 0;
  TuneOptions options = quick();
  options.cancel = &cancel;
  options.progress = [&](size_t done, size_t total) {
    EXPECT_EQ(done, ++steps);
    EXPECT_LE(done, total);
    cancel = done == 2;
  };
  const TuneResult stopped = tune_on(device, cache, options);
  EXPECT_EQ(stopped.measured, 2u);
  EXPECT_GT(stopped.remaining, 0u);
  const TuneResult finished = tune_on(device, cache);
  EXPECT_EQ(finished.known, 2u);
  EXPECT_GT(finished.measured, 0u);
  EXPECT_EQ(finished.remaining, 0u);
  const TuneResult again = tune_on(device, cache);
  EXPECT_EQ(again.measured, 0u);
  EXPECT_EQ(again.known, finished.known + finished.measured);
}

Support accept(const SoftmaxProblem&, const DeviceInfo&) { return Support::yes(); }
Status write_nothing(const SoftmaxProblem&, const Operands&, Stream&) { return {}; }
Status fail(const SoftmaxProblem&, const Operands&, Stream&) {
  return internal_error("broke down");
}

// The reference backend with one more softmax, before its own.
template <auto Launch>
TuneResult tune_with_bad_softmax() {
  static constexpr KernelEntry kBad =
      stateless_kernel_entry<SoftmaxProblem, accept, Launch>("softmax_bad", "");
  static Backend backend = *find_backend("reference");
  backend.kernels = [] {
    static const std::vector<const KernelEntry*> all = [] {
      std::vector<const KernelEntry*> list = {&kBad};
      for (const KernelEntry* entry : find_backend("reference")->kernels()) list.push_back(entry);
      return list;
    }();
    return std::span<const KernelEntry* const>(all);
  };
  OpenDevice device = *open_device("reference");
  device.backend = &backend;
  return tune_on(device, std::make_shared<TimingCache>());
}

const TuneLayer& softmax_of(const TuneResult& result) {
  return *std::find_if(result.layers.begin(), result.layers.end(),
                       [](const TuneLayer& layer) { return layer.step.family == "softmax"; });
}

TEST(Tune, AKernelThatWritesNothingIsWrongAndNeverChosen) {
  const TuneResult result = tune_with_bad_softmax<write_nothing>();
  ASSERT_FALSE(result.layers.empty());
  const TuneLayer& softmax = softmax_of(result);
  EXPECT_EQ(softmax.candidates[0].kernel, "softmax_bad");
  ASSERT_TRUE(softmax.candidates[0].measurement);
  EXPECT_FALSE(softmax.candidates[0].measurement->is_correct());
  EXPECT_EQ(softmax.step.kernel, "reference_softmax");
}

TEST(Tune, AKernelThatFailsIsNamedAndTheRestGoesOn) {
  const TuneResult result = tune_with_bad_softmax<fail>();
  ASSERT_FALSE(result.layers.empty());
  const TuneLayer& softmax = softmax_of(result);
  EXPECT_THAT(softmax.candidates[0].reason, HasSubstr("broke down"));
  EXPECT_TRUE(softmax.candidates[1].measurement);
  EXPECT_EQ(result.remaining, 0u);
}

}  // namespace
}  // namespace tessera
