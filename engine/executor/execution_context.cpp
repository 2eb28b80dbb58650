// SPDX-License-Identifier: Apache-2.0
#include "core/check.h"
#include "engine/executor/compiled_model_impl.h"

namespace tessera {

struct ExecutionContext::Impl {
  std::shared_ptr<const CompiledModel> model;
  const CompiledModel::Impl* plan = nullptr;  // of `model`
  Buffer arena;
  std::vector<std::vector<const void*>> operands;  // by step
  std::unique_ptr<ExecutableGraph> graph;
  bool has_run = false;
  std::vector<std::string> trace;

  [[nodiscard]] std::byte* arena_at(size_t offset_bytes) const {
    return static_cast<std::byte*>(arena.data()) + offset_bytes;
  }

  // The device memory of a value: a constant's, or a place in the arena.
  [[nodiscard]] void* address(ValueId value) const {
    const ValueId root = plan->program.root(value);
    if (plan->constants[root] != nullptr) return const_cast<void*>(plan->constants[root]->data());
    const size_t offset = plan->memory.value_offset_bytes[root];
    TESSERA_CHECK(offset != ProgramMemory::kNotPlanned);
    return arena_at(offset);
  }

  void resolve_operands() {
    for (size_t i = 0; i < plan->program.steps.size(); ++i) {
      const Step& step = plan->program.steps[i];
      std::vector<const void*> pointers(step.inputs.size(), nullptr);
      for (size_t operand = 0; operand < pointers.size(); ++operand) {
        const bool absent = step.inputs[operand] == kNoValue || plan->packed[i][operand];
        if (!absent) pointers[operand] = address(step.inputs[operand]);
      }
      operands.push_back(std::move(pointers));
    }
  }

  // Whether there is anything to launch: a batch of nothing has no launch without a thread.
  [[nodiscard]] bool is_launched(size_t index) const {
    const Step& step = plan->program.steps[index];
    return plan->program.values[step.output].desc.num_elements() != 0;
  }

  Status launch_step(size_t index, Stream& stream) {
    const Step& step = plan->program.steps[index];
    const size_t workspace = plan->memory.workspace_offset_bytes[index];
    const Operands launch{operands[index], address(step.output),
                          workspace == ProgramMemory::kNotPlanned ? nullptr : arena_at(workspace)};
    return plan->kernels[index]->launch(launch, stream).with_context("layer " + step.name());
  }

  Status launch_steps(Stream& stream) {
    trace.clear();
    for (size_t i = 0; i < plan->program.steps.size(); ++i) {
      if (!is_launched(i)) continue;
      TESSERA_RETURN_IF_ERROR(launch_step(i, stream));
      trace.push_back(plan->report.steps[i].kernel);
    }
    return {};
  }

  Status capture(Stream& stream) {
    TESSERA_RETURN_IF_ERROR(stream.begin_capture());
    const Status launched = launch_steps(stream);
    // The capture has to be ended in any case, or the stream stays unusable.
    auto captured = stream.end_capture();
    TESSERA_RETURN_IF_ERROR(launched);
    TESSERA_RETURN_IF_ERROR(captured.status());
    graph = std::move(*captured);
    return {};
  }
};

Result<std::unique_ptr<ExecutionContext>> CompiledModel::create_context() const {
  auto impl = std::make_unique<ExecutionContext::Impl>();
  impl->model = shared_from_this();
  impl->plan = impl_.get();
  TESSERA_ASSIGN_OR_RETURN(impl->arena, impl_->device.device->allocate(impl_->memory.arena_bytes));
  impl->resolve_operands();
  return std::unique_ptr<ExecutionContext>(new ExecutionContext(std::move(impl)));
}

ExecutionContext::ExecutionContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ExecutionContext::~ExecutionContext() = default;

void* ExecutionContext::input(size_t index) const {
  return impl_->address(impl_->plan->program.inputs[index]);
}

const void* ExecutionContext::output(size_t index) const {
  return impl_->address(impl_->plan->program.outputs[index]);
}

Status ExecutionContext::enqueue(Stream& stream) {
  // The first run is launched kernel by kernel: libraries load their code and allocate at the first
  // use, which a capture does not allow.
  const bool uses_graph = impl_->plan->use_graph && !impl_->plan->program.steps.empty();
  if (!uses_graph || !impl_->has_run) {
    impl_->has_run = true;
    return impl_->launch_steps(stream);
  }
  if (impl_->graph == nullptr) TESSERA_RETURN_IF_ERROR(impl_->capture(stream));
  return impl_->graph->launch(stream);
}

Status ExecutionContext::enqueue_step(size_t step, Stream& stream) {
  return impl_->is_launched(step) ? impl_->launch_step(step, stream) : Status();
}

const std::vector<std::string>& ExecutionContext::trace() const { return impl_->trace; }

}  // namespace tessera
