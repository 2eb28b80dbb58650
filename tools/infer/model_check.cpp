// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/model_check.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/image/model_card.h"
#include "engine/pipeline/pipeline.h"
#include "tools/infer/device_name.h"
#include "tools/infer/plan_files.h"
#include "tools/infer/random_inputs.h"
#include "tools/infer/ranking.h"

namespace tessera::cli {
namespace {

// Empty when `scores` give the golden answer. Classes whose scores are equal within the tolerance
// may change places.
std::string compare_with_golden(const Golden& golden, std::span<const float> scores) {
  constexpr double kTolerance = 1e-3;  // relative and absolute
  const std::vector<Ranked> ranked = top_k(scores, golden.top5.size());
  for (size_t i = 0; i < golden.top5.size(); ++i) {
    const GoldenScore& expected = golden.top5[i];
    if (expected.index < 0 || expected.index >= std::ssize(scores)) {
      return fmt::format("expects class {} of {}", expected.index, scores.size());
    }
    const double tolerance = kTolerance * (1.0 + std::abs(expected.score));
    const double got = scores[static_cast<size_t>(expected.index)];
    if (!(std::abs(got - expected.score) <= tolerance)) {
      return fmt::format("'{}' scores {:.6g}, expected {:.6g}", expected.label, got,
                         expected.score);
    }
    if (!(std::abs(ranked[i].score - got) <= tolerance)) {
      return fmt::format("place {} is class {}, expected '{}'", i + 1, ranked[i].index,
                         expected.label);
    }
  }
  return {};
}

Result<std::vector<GoldenCheck>> replay_goldens(const std::shared_ptr<const Model>& model,
                                                const OpenDevice& device,
                                                const CompileOptions& compile) {
  std::vector<GoldenCheck> checks;
  const Result<ModelCard> card = load_model_card(*model);
  // A network that takes no pictures has no golden ones.
  if (!card.ok() && card.status().code() == StatusCode::kUnsupported) return checks;
  TESSERA_RETURN_IF_ERROR(card.status());
  if (card->goldens.empty()) return checks;
  PipelineOptions options;
  options.preprocess = card->preprocess;
  options.compile = compile;
  TESSERA_ASSIGN_OR_RETURN(const auto pipeline, Pipeline::create(model, device, options));
  for (const Golden& golden : card->goldens) {
    const std::vector<std::string> paths = {golden.image_path};
    TESSERA_ASSIGN_OR_RETURN(const auto sources, open_inputs(paths, {}));
    TESSERA_RETURN_IF_ERROR(
        pipeline
            ->run(*sources[0],
                  [&](const SampleResult& sample) -> Status {
                    const std::string detail = sample.status.ok()
                                                   ? compare_with_golden(golden, sample.scores)
                                                   : sample.status.message();
                    checks.push_back({golden.image_path, detail.empty(), detail});
                    return {};
                  })
            .status());
  }
  return checks;
}

Status save_checked_plan(const CheckOptions& options, const std::shared_ptr<const Model>& model,
                         const OpenDevice& device, const std::vector<Tensor>& inputs,
                         const CompileOptions& compile) {
  if (options.execution.save_plan.empty()) return {};
  TESSERA_RETURN_IF_ERROR(refuse_to_overwrite("--save-plan", options.execution.save_plan,
                                              files_of_model(options.path)));
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const CompiledModel> compiled,
                           CompiledModel::compile(model, device, shapes, compile));
  return save_plan_if_asked(options.execution, compiled->report(), device);
}

}  // namespace

bool ModelCheck::ok() const {
  return std::all_of(steps.begin(), steps.end(), [](const StepCheck& s) { return s.ok(); }) &&
         std::all_of(goldens.begin(), goldens.end(), [](const GoldenCheck& g) { return g.ok; });
}

Result<ModelCheck> check_model(const CheckOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const CompileOptions compile, to_compile_options(options.execution));
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, Model::load(options.path));
  ModelCheck check;
  TESSERA_ASSIGN_OR_RETURN(const ChosenShapes chosen, choose_shapes(*model, options.shapes));
  TESSERA_ASSIGN_OR_RETURN(const InputShapes shapes,
                           resolve_input_shapes(*model, chosen.batch, chosen.symbols));
  check.notes = shapes.notes;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs, random_inputs(*model, shapes));
  TESSERA_ASSIGN_OR_RETURN(const OpenDevice device, open_device(options.execution.device));
  check.device = describe_device(device.device->info());
  TESSERA_RETURN_IF_ERROR(save_checked_plan(options, model, device, inputs, compile));
  TESSERA_ASSIGN_OR_RETURN(check.steps, check_steps(model, device, inputs, compile));
  TESSERA_ASSIGN_OR_RETURN(check.goldens, replay_goldens(model, device, compile));
  return check;
}

}  // namespace tessera::cli
