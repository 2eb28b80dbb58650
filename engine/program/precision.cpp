// SPDX-License-Identifier: Apache-2.0
#include "engine/program/precision.h"

#include <algorithm>
#include <map>

#include "core/status_list.h"
#include "engine/program/layer_pattern.h"
#include "engine/program/reference_run.h"

namespace tessera {
namespace {

constexpr std::pair<std::string_view, Precision> kNames[] = {{"fp32", Precision::kFloat32},
                                                             {"tf32", Precision::kTf32},
                                                             {"fp16", Precision::kFloat16},
                                                             {"bf16", Precision::kBFloat16}};

DType storage_dtype(Precision precision) {
  switch (precision) {
    case Precision::kFloat16:
      return DType::kF16;
    case Precision::kBFloat16:
      return DType::kBF16;
    default:
      return DType::kF32;
  }
}

// The dtype that a problem computes or moves, null for a conversion.
DType* dtype_of_problem(Problem& problem) {
  return std::visit(
      []<typename P>(P& typed) -> DType* {
        if constexpr (requires { typed.dtype; }) {
          return &typed.dtype;
        } else {
          return nullptr;
        }
      },
      problem);
}

void allow_tf32(Problem& problem) {
  if (auto* gemm = std::get_if<GemmProblem>(&problem)) gemm->allow_tf32 = true;
  if (auto* conv = std::get_if<ConvProblem>(&problem)) conv->allow_tf32 = true;
}

class Converter {
 public:
  Converter(Program& program, const PrecisionOptions& options, const KernelChooser& chooser,
            const std::function<void(const std::string&)>& tell)
      : program_(program), options_(options), chooser_(chooser), tell_(tell) {
    for (const ProgramValue& value : program.values) {
      is_ours_.push_back(value.desc.dtype == DType::kF32);
    }
  }

  Status run() {
    std::vector<Step> old_steps = std::move(program_.steps);
    program_.steps.clear();
    StatusList problems;
    for (Step& step : old_steps) {
      const std::string where = "layer " + step.name();
      problems.add(where, convert_step(std::move(step)));
    }
    for (ValueId& output : program_.outputs) {
      if (is_ours_[output]) problems.add("", convert(output, DType::kF32));
    }
    return problems.status();
  }

 private:
  Precision precision_of(const Step& step) const {
    const auto rule = std::find_if(options_.layers.begin(), options_.layers.end(),
                                   [&](const auto& r) { return matches_step(r.first, step); });
    return rule == options_.layers.end() ? options_.model : rule->second;
  }

  Status convert_step(Step step) {
    if (auto* cast = std::get_if<CastProblem>(&step.problem)) {
      if (is_ours_[step.inputs[0]] && absorb_cast(step, *cast)) return {};
      program_.steps.push_back(std::move(step));
      return {};
    }
    DType* dtype = dtype_of_problem(step.problem);
    const bool is_float32 = dtype != nullptr && *dtype == DType::kF32;
    if (is_float32) TESSERA_RETURN_IF_ERROR(set_precision(step));
    const DType target = is_float32 ? *dtype_of_problem(step.problem) : DType::kF32;
    for (ValueId& input : step.inputs) {
      if (input == kNoValue || !is_ours_[input]) continue;
      TESSERA_RETURN_IF_ERROR(convert(input, target));
    }
    if (is_ours_[step.output]) program_.values[step.output].desc.dtype = target;
    program_.steps.push_back(std::move(step));
    return {};
  }

  // A Cast of the model reads its input as it is now. True when that is what it should become.
  bool absorb_cast(const Step& step, CastProblem& cast) {
    const ValueId root = program_.root(step.inputs[0]);
    cast.from = program_.values[root].desc.dtype;
    program_.values[step.inputs[0]].desc.dtype = cast.from;
    if (cast.from != cast.to || program_.values[root].constant) return false;
    for (ProgramValue& value : program_.values) {
      if (value.alias_of == step.output) value.alias_of = root;
    }
    program_.values[step.output].alias_of = root;
    return true;
  }

  Status set_precision(Step& step) {
    const Precision precision = precision_of(step);
    if (precision == Precision::kFloat32) return {};
    Step changed = step;
    *dtype_of_problem(changed.problem) = storage_dtype(precision);
    if (precision == Precision::kTf32) allow_tf32(changed.problem);
    const Status possible = chooser_.choose(changed).status();
    if (possible.ok()) {
      step = std::move(changed);
      return {};
    }
    if (!options_.allow_fallback) {
      return unsupported(possible.message() +
                         "; --allow-fallback runs such layers in float32, --layer-precisions '" +
                         step.node_names.front() + ":fp32' this one");
    }
    tell_("layer " + step.name() + " runs in float32, not in " + precision_name(precision) + ": " +
          possible.message());
    return {};
  }

  // Replaces `value` by one with the same elements as `dtype`.
  Status convert(ValueId& value, DType dtype) {
    const ValueId root = program_.root(value);
    const DType now = program_.values[root].desc.dtype;
    program_.values[value].desc.dtype = now;  // an alias follows its root
    if (now == dtype) return {};
    const auto key = std::make_pair(value, dtype);
    if (const auto known = converted_.find(key); known != converted_.end()) {
      value = known->second;
      return {};
    }
    ProgramValue target;
    target.name = program_.values[value].name + "." + dtype_name(dtype);
    target.desc = {dtype, program_.values[value].desc.shape, program_.values[value].desc.layout};
    if (program_.values[root].constant) {
      const Tensor source = program_.values[root].constant->reshaped(target.desc.shape);
      const Tensor* const operand = &source;
      const CastProblem cast = {now, dtype, source.num_elements()};
      TESSERA_ASSIGN_OR_RETURN(target.constant, run_on_reference(cast, {&operand, 1}, target.desc));
      value = converted_[key] = add_value(std::move(target));
      return {};
    }
    Step step;
    step.node_names = {"cast(" + program_.values[value].name + ")"};
    step.op_types = {"Cast"};
    step.problem = CastProblem{now, dtype, target.desc.num_elements()};
    step.inputs = {value};
    step.output = add_value(std::move(target));
    value = converted_[key] = step.output;
    program_.steps.push_back(std::move(step));
    return {};
  }

  ValueId add_value(ProgramValue value) {
    is_ours_.push_back(true);
    return program_.add_value(std::move(value));
  }

  Program& program_;
  const PrecisionOptions& options_;
  const KernelChooser& chooser_;
  const std::function<void(const std::string&)>& tell_;
  std::vector<bool> is_ours_;  // by value: float32 as the model has it
  std::map<std::pair<ValueId, DType>, ValueId> converted_;
};

Status check_patterns(const Program& program, const PrecisionOptions& options) {
  StatusList problems;
  for (const auto& [pattern, precision] : options.layers) {
    const bool used =
        std::any_of(program.steps.begin(), program.steps.end(),
                    [&, &text = pattern](const Step& step) { return matches_step(text, step); });
    if (used) continue;
    problems.add(invalid_argument("--layer-precisions: no layer's name or operator matches '" +
                                  pattern + "'; the layers are:" + layer_names(program)));
  }
  return problems.status();
}

}  // namespace

const char* precision_name(Precision precision) {
  switch (precision) {
    case Precision::kFloat32:
      return "float32";
    case Precision::kTf32:
      return "tf32";
    case Precision::kFloat16:
      return "float16";
    case Precision::kBFloat16:
      return "bfloat16";
  }
  return "unknown";
}

std::optional<Precision> parse_precision(std::string_view name) {
  for (const auto& [known, precision] : kNames) {
    if (known == name) return precision;
  }
  return std::nullopt;
}

std::string PrecisionOptions::to_string() const {
  std::string text = precision_name(model);
  for (const auto& [pattern, precision] : layers) {
    text += ", " + pattern + ":" + precision_name(precision);
  }
  return text;
}

Status apply_precision(Program& program, const PrecisionOptions& options,
                       const KernelChooser& chooser,
                       const std::function<void(const std::string&)>& tell) {
  TESSERA_RETURN_IF_ERROR(check_patterns(program, options));
  if (options.model == Precision::kFloat32 && options.layers.empty()) return {};
  return Converter(program, options, chooser, tell).run();
}

}  // namespace tessera
