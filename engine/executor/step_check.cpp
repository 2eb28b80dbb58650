// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/step_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include "engine/executor/compile.h"
#include "kernels/accuracy/comparator.h"
#include "kernels/accuracy/encoding.h"
#include "kernels/accuracy/problem_operands.h"
#include "kernels/accuracy/truth.h"

namespace tessera {
namespace {

// Runs a program one step at a time, each with its tensors in host memory between steps.
class StepChecker {
 public:
  StepChecker(const KernelProgram& built, const OpenDevice& device)
      : program_(built.program), choices_(built.choices), device_(*device.device) {}

  Result<std::vector<StepCheck>> run(std::span<const Tensor> inputs) {
    TESSERA_ASSIGN_OR_RETURN(stream_, device_.create_stream());
    memory_.resize(program_.values.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      memory_[program_.inputs[i]] = bytes_of(inputs[i]);
    }
    find_last_readers();
    std::vector<StepCheck> checks;
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      TESSERA_ASSIGN_OR_RETURN(StepCheck check, check_step(i));
      checks.push_back(std::move(check));
      for (const ValueId input : step.inputs) release_after(input, i);
    }
    return checks;
  }

 private:
  static Bytes bytes_of(const Tensor& tensor) {
    Bytes bytes(tensor.size_bytes());
    if (!bytes.empty()) std::memcpy(bytes.data(), tensor.data(), bytes.size());
    return bytes;
  }

  void find_last_readers() {
    last_reader_.assign(program_.values.size(), 0);
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      for (const ValueId input : program_.steps[i].inputs) {
        if (input != kNoValue) last_reader_[program_.root(input)] = i;
      }
    }
  }

  void release_after(ValueId value, size_t step) {
    if (value == kNoValue) return;
    const ValueId root = program_.root(value);
    if (last_reader_[root] == step) memory_[root] = Bytes();
  }

  // The operands of a step as they lie in memory; an absent one is empty.
  std::vector<Bytes> operands_of(const Step& step) const {
    std::vector<Bytes> operands;
    for (const ValueId input : step.inputs) {
      if (input == kNoValue) {
        operands.emplace_back();
      } else if (const auto& constant = program_.values[input].constant) {
        operands.push_back(bytes_of(*constant));
      } else {
        operands.push_back(memory_[program_.root(input)]);
      }
    }
    return operands;
  }

  Result<StepCheck> check_step(size_t index) {
    const Step& step = program_.steps[index];
    StepCheck check;
    check.name = step.name();
    check.kernel = choices_[index].entry->name;
    const size_t result_bytes = program_.values[step.output].desc.size_bytes();
    memory_[step.output] = Bytes(result_bytes);
    if (result_bytes == 0) return check;
    const std::vector<Bytes> operands = operands_of(step);
    Result<Bytes> result = run_kernel(index, operands, result_bytes);
    if (!result.ok()) return result.status().with_context("layer " + step.name());
    memory_[step.output] = std::move(*result);
    TESSERA_ASSIGN_OR_RETURN(
        const Truth truth,
        compute_truth(step.problem, operands, choices_[index].entry->winograd_outputs));
    compare_with(truth, step, check);
    TESSERA_ASSIGN_OR_RETURN(const std::vector<double> wide, float64_values(truth, step, operands));
    check.overflow = find_overflow(wide, step);
    return check;
  }

  // The step's result in float64; empty for steps that only move elements.
  static Result<std::vector<double>> float64_values(const Truth& truth, const Step& step,
                                                    const std::vector<Bytes>& operands) {
    if (!truth.value.empty()) return truth.value;
    if (const auto* cast = std::get_if<CastProblem>(&step.problem)) {
      return decode(operands[CastProblem::kSrc], cast->from);
    }
    const auto* binary = std::get_if<BinaryProblem>(&step.problem);
    if (binary == nullptr || !dtype_is_float(binary->dtype)) return std::vector<double>();
    BinaryProblem wide = *binary;
    wide.dtype = DType::kF64;
    std::vector<Bytes> inputs;
    for (const Bytes& operand : operands) {
      inputs.push_back(encode(decode(operand, binary->dtype), DType::kF64));
    }
    TESSERA_ASSIGN_OR_RETURN(const Bytes result, run_reference(wide, inputs));
    return decode(result, DType::kF64);
  }

  // A value beyond the largest of 16 bits is rightly infinite there, and still not what the model
  // means.
  std::string find_overflow(const std::vector<double>& wide, const Step& step) const {
    const ProblemOperands operands = describe_operands(step.problem);
    const DType dtype = operands.output.dtype;
    if (wide.empty() || (dtype != DType::kF16 && dtype != DType::kBF16)) return {};
    const std::vector<double> values = decode(memory_[step.output], dtype);
    size_t count = 0;
    size_t first = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isinf(values[i]) || !std::isfinite(wide[i])) continue;
      if (count++ == 0) first = i;
    }
    if (count == 0) return {};
    std::ostringstream text;
    text << count << " of " << values.size() << " elements overflow " << dtype << ", the first at "
         << coordinates(static_cast<int64_t>(first), operands.output_shape) << " is " << wide[first]
         << " in float64; run "
         << (std::holds_alternative<CastProblem>(step.problem)
                 ? "the layers that read it in float32 (--layer-precisions)"
                 : "it in float32 with --layer-precisions '" + step.node_names.front() + ":fp32'");
    return text.str();
  }

  void compare_with(const Truth& truth, const Step& step, StepCheck& check) const {
    const Bytes& result = memory_[step.output];
    const ProblemOperands operands = describe_operands(step.problem);
    if (truth.value.empty()) {
      const auto difference =
          compare_exactly(result, truth.exact, operands.output.dtype, operands.output_shape);
      if (!difference) return;
      check.worst_ratio = std::numeric_limits<double>::infinity();
      check.worst_element = *difference;
      return;
    }
    const std::vector<double> expected = truth.value_for(result, operands.output.dtype);
    const WorstElement worst =
        find_worst(result, operands.output.dtype, {expected, truth.tolerance});
    check.worst_error = std::abs(worst.actual - worst.expected);
    check.worst_tolerance = worst.tolerance;
    check.worst_ratio = worst.ratio;
    std::ostringstream text;
    text.precision(9);
    text << coordinates(worst.index, operands.output_shape) << ": got " << worst.actual
         << ", expected " << worst.expected;
    check.worst_element = text.str();
  }

  Result<Bytes> run_kernel(size_t index, const std::vector<Bytes>& operands, size_t result_bytes) {
    const Step& step = program_.steps[index];
    TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel,
                             choices_[index].entry->create(step.problem, device_));
    std::vector<const Tensor*> constants;
    for (const ValueId input : step.inputs) {
      const bool is_constant = input != kNoValue && program_.values[input].constant.has_value();
      constants.push_back(is_constant ? &*program_.values[input].constant : nullptr);
    }
    TESSERA_ASSIGN_OR_RETURN(const std::vector<int> packed, kernel->pack_constants(constants));
    std::vector<Buffer> buffers(operands.size());
    std::vector<const void*> pointers(operands.size(), nullptr);
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_packed = std::find(packed.begin(), packed.end(), i) != packed.end();
      if (operands[i].empty() || is_packed) continue;
      TESSERA_ASSIGN_OR_RETURN(buffers[i], device_.allocate(operands[i].size()));
      TESSERA_RETURN_IF_ERROR(
          stream_->copy_to_device(buffers[i].data(), operands[i].data(), operands[i].size()));
      pointers[i] = buffers[i].data();
    }
    TESSERA_ASSIGN_OR_RETURN(const Buffer workspace, device_.allocate(kernel->workspace_bytes()));
    TESSERA_ASSIGN_OR_RETURN(const Buffer output, device_.allocate(result_bytes));
    // What a kernel leaves unwritten shall not pass for a result: all bits set is a NaN.
    Bytes result(result_bytes, std::byte{0xff});
    TESSERA_RETURN_IF_ERROR(stream_->copy_to_device(output.data(), result.data(), result_bytes));
    TESSERA_RETURN_IF_ERROR(kernel->launch({pointers, output.data(), workspace.data()}, *stream_));
    TESSERA_RETURN_IF_ERROR(stream_->copy_to_host(result.data(), output.data(), result_bytes));
    TESSERA_RETURN_IF_ERROR(stream_->synchronize());
    return result;
  }

  const Program& program_;
  const std::vector<KernelChoice>& choices_;
  Device& device_;
  std::unique_ptr<Stream> stream_;
  std::vector<Bytes> memory_;        // by ValueId of a root
  std::vector<size_t> last_reader_;  // by ValueId of a root
};

}  // namespace

Result<std::vector<StepCheck>> check_steps(std::shared_ptr<const Model> model,
                                           const OpenDevice& device, std::span<const Tensor> inputs,
                                           const CompileOptions& options) {
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  TESSERA_ASSIGN_OR_RETURN(const KernelProgram built,
                           build_program(model->graph(), device, shapes, options));
  return StepChecker(built, device).run(inputs);
}

}  // namespace tessera
