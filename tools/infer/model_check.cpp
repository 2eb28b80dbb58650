// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/model_check.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <random>

#include "core/half.h"
#include "engine/image/model_card.h"
#include "engine/model/input_shapes.h"
#include "engine/pipeline/pipeline.h"
#include "tools/infer/device_name.h"
#include "tools/infer/plan_files.h"
#include "tools/infer/ranking.h"

namespace tessera::cli {
namespace {

constexpr uint64_t kSeed = 20240917;

// Floats uniform in [-1, 1), which is what normalised pictures look like; other types 0 or 1, which
// is in range for whatever they index.
Result<Tensor> random_tensor(const TensorDesc& desc, std::mt19937_64& generator) {
  TESSERA_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(desc));
  std::uniform_real_distribution<double> real(-1.0, 1.0);
  const auto fill = [&](auto example, auto&& make) {
    for (auto& value : tensor.mutable_values<decltype(example)>()) value = make();
  };
  switch (desc.dtype) {
    case DType::kF32:
      fill(float{}, [&] { return static_cast<float>(real(generator)); });
      return tensor;
    case DType::kF64:
      fill(double{}, [&] { return real(generator); });
      return tensor;
    case DType::kF16:
      fill(uint16_t{}, [&] { return float_to_half_bits(static_cast<float>(real(generator))); });
      return tensor;
    case DType::kBF16:
      fill(uint16_t{}, [&] { return float_to_bfloat16_bits(static_cast<float>(real(generator))); });
      return tensor;
    default:
      break;
  }
  // Integers of any width and bool: the lowest byte is 0 or 1 and the others are 0.
  const size_t width = dtype_size_bytes(desc.dtype);
  auto* bytes = static_cast<uint8_t*>(tensor.mutable_data());
  for (size_t i = 0; i < tensor.size_bytes(); ++i) {
    bytes[i] = i % width == 0 ? static_cast<uint8_t>(generator() & 1U) : uint8_t{0};
  }
  return tensor;
}

Result<std::vector<Tensor>> random_inputs(const Model& model, const ShapeOptions& options,
                                          std::vector<std::string>& notes) {
  TESSERA_ASSIGN_OR_RETURN(const ChosenShapes chosen, choose_shapes(model, options));
  TESSERA_ASSIGN_OR_RETURN(const InputShapes shapes,
                           resolve_input_shapes(model, chosen.batch, chosen.symbols));
  notes = shapes.notes;
  std::mt19937_64 generator(kSeed);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.shapes.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Tensor tensor,
                             random_tensor({model.inputs()[i].dtype, shapes.shapes[i]}, generator));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

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
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs,
                           random_inputs(*model, options.shapes, check.notes));
  TESSERA_ASSIGN_OR_RETURN(const OpenDevice device, open_device(options.execution.device));
  check.device = describe_device(device.device->info());
  TESSERA_RETURN_IF_ERROR(save_checked_plan(options, model, device, inputs, compile));
  TESSERA_ASSIGN_OR_RETURN(check.steps, check_steps(model, device, inputs, compile));
  TESSERA_ASSIGN_OR_RETURN(check.goldens, replay_goldens(model, device, compile));
  return check;
}

}  // namespace tessera::cli
