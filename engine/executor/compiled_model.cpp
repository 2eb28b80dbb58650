// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/compiled_model.h"

#include <algorithm>
#include <set>

#include "core/status_list.h"
#include "engine/executor/compiled_model_impl.h"
#include "kernels/select.h"
#include "kernels/timing/roof.h"

namespace tessera {
namespace {

// The constant behind each operand of a step, null where it is not one.
std::vector<const Tensor*> constant_operands(const Program& program, const Step& step) {
  std::vector<const Tensor*> constants;
  for (const ValueId input : step.inputs) {
    const bool is_constant = input != kNoValue && program.values[input].constant.has_value();
    constants.push_back(is_constant ? &*program.values[input].constant : nullptr);
  }
  return constants;
}

Status create_kernels(const KernelProgram& built, CompiledModel::Impl& impl) {
  StatusList problems;
  for (size_t i = 0; i < impl.program.steps.size(); ++i) {
    const Step& step = impl.program.steps[i];
    auto kernel = built.choices[i].entry->create(step.problem, *impl.device.device);
    problems.add("layer " + step.name(), kernel.status());
    if (!kernel.ok()) continue;
    auto packed = (*kernel)->pack_constants(constant_operands(impl.program, step));
    problems.add("layer " + step.name(), packed.status());
    if (!packed.ok()) continue;
    std::vector<bool> is_packed(step.inputs.size(), false);
    for (const int operand : *packed) is_packed[operand] = true;
    impl.kernels.push_back(std::move(*kernel));
    impl.packed.push_back(std::move(is_packed));
  }
  return problems.status();
}

// Uploads the constants that kernels read at launch, or that are outputs of the model.
Status upload_constants(CompiledModel::Impl& impl) {
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream,
                           impl.device.device->create_stream());
  impl.constants.resize(impl.program.values.size());
  const auto upload = [&](ValueId value) -> Status {
    const auto& constant = impl.program.values[value].constant;
    if (!constant || impl.constants[value] != nullptr) return {};
    TESSERA_ASSIGN_OR_RETURN(impl.constants[value], impl.device.constants->get(*constant, *stream));
    return {};
  };
  for (size_t i = 0; i < impl.program.steps.size(); ++i) {
    const Step& step = impl.program.steps[i];
    for (size_t operand = 0; operand < step.inputs.size(); ++operand) {
      if (step.inputs[operand] == kNoValue || impl.packed[i][operand]) continue;
      TESSERA_RETURN_IF_ERROR(upload(step.inputs[operand]));
    }
  }
  for (const ValueId output : impl.program.outputs) TESSERA_RETURN_IF_ERROR(upload(output));
  return {};
}

// Every constant counts once, whether it was uploaded or a kernel keeps it in a form of its own.
size_t constant_bytes(const Program& program) {
  std::set<ValueId> constants;
  const auto add = [&](ValueId value) {
    if (value != kNoValue && program.values[value].constant) constants.insert(value);
  };
  for (const Step& step : program.steps) {
    std::for_each(step.inputs.begin(), step.inputs.end(), add);
  }
  std::for_each(program.outputs.begin(), program.outputs.end(), add);
  size_t bytes = 0;
  for (const ValueId value : constants) bytes += program.values[value].constant->size_bytes();
  return bytes;
}

StepReport report_step(const CompiledModel::Impl& impl, size_t index, const KernelChoice& choice) {
  const Step& step = impl.program.steps[index];
  StepReport report;
  report.name = step.name();
  report.problem = to_string(step.problem);
  report.family = problem_family(step.problem);
  report.kernel = choice.entry->name;
  report.reason = choice.reason;
  report.origin = choice.origin;
  report.evidence = choice.evidence;
  report.choice_key = choice_key(step.problem);
  for (const Candidate& candidate :
       candidates(step.problem, *impl.device.backend, impl.device.device->info())) {
    if (!candidate.support.ok()) {
      report.refused.emplace_back(candidate.entry->name, candidate.support.reason());
    } else if (candidate.entry != choice.entry) {
      report.alternatives.emplace_back(candidate.entry->name);
    }
  }
  report.flops = problem_flops(step.problem);
  report.bytes = problem_bytes(step.problem);
  if (const auto roof = problem_roof(step.problem, impl.device.device->info())) {
    report.roof_us = roof->microseconds;
  }
  report.output_offset_bytes = impl.memory.value_offset_bytes[step.output];
  report.output_bytes = impl.program.values[step.output].desc.size_bytes();
  report.workspace_bytes = impl.kernels[index]->workspace_bytes();
  return report;
}

void write_report(const KernelProgram& built, CompiledModel::Impl& impl) {
  impl.report.passes = built.passes;
  impl.report.arena_bytes = impl.memory.arena_bytes;
  impl.report.unplanned_bytes = impl.memory.unplanned_bytes;
  impl.report.constant_bytes = constant_bytes(impl.program);
  impl.report.uses_graph = impl.use_graph;
  impl.report.batch = built.batch;
  impl.report.precision = built.precision;
  for (size_t i = 0; i < impl.program.steps.size(); ++i) {
    impl.report.steps.push_back(report_step(impl, i, built.choices[i]));
  }
}

}  // namespace

Result<std::shared_ptr<const CompiledModel>> CompiledModel::compile(
    std::shared_ptr<const Model> model, const OpenDevice& device,
    std::span<const Shape> input_shapes, const CompileOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(KernelProgram built,
                           build_program(model->graph(), device, input_shapes, options));
  auto impl = std::make_unique<Impl>();
  impl->model = std::move(model);
  impl->device = device;
  impl->use_graph = options.use_graph && device.device->supports_graphs();
  impl->program = std::move(built.program);
  TESSERA_RETURN_IF_ERROR(create_kernels(built, *impl));
  TESSERA_RETURN_IF_ERROR(upload_constants(*impl));
  std::vector<size_t> workspace_bytes;
  for (const auto& kernel : impl->kernels) workspace_bytes.push_back(kernel->workspace_bytes());
  TESSERA_ASSIGN_OR_RETURN(impl->memory, plan_program_memory(impl->program, workspace_bytes));
  for (const ValueId input : impl->program.inputs) {
    impl->inputs.push_back(impl->program.values[input].desc);
  }
  for (const ValueId output : impl->program.outputs) {
    impl->outputs.push_back(impl->program.values[output].desc);
  }
  write_report(built, *impl);
  return std::shared_ptr<const CompiledModel>(new CompiledModel(std::move(impl)));
}

CompiledModel::CompiledModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompiledModel::~CompiledModel() = default;
const std::vector<TensorDesc>& CompiledModel::inputs() const { return impl_->inputs; }
const std::vector<TensorDesc>& CompiledModel::outputs() const { return impl_->outputs; }
const PlanReport& CompiledModel::report() const { return impl_->report; }

Plan make_plan(const PlanReport& report, const OpenDevice& device) {
  Plan plan;
  plan.device = make_device_key(*device.backend, device.device->info());
  plan.batch = report.batch;
  plan.precision = report.precision;
  for (const StepReport& step : report.steps) {
    plan.layers.push_back({step.name, step.choice_key, step.kernel, step.evidence});
  }
  return plan;
}

}  // namespace tessera
