// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/harness.h"

#include <cmath>
#include <optional>

#include "kernels/accuracy/comparator.h"
#include "kernels/accuracy/problem_operands.h"
#include "kernels/accuracy/truth.h"
#include "tests/kernels/guarded_buffer.h"
#include "tests/kernels/test_data.h"

namespace tessera::testing {
namespace {

// What all launches of one problem with one data set have in common.
struct Case {
  const KernelEntry& entry;
  const Problem& problem;
  Device& device;
  Stream& stream;
  ProblemOperands specs;
  std::vector<Bytes> inputs;
  Truth truth;
};

// The device side of one kernel.
struct Prepared {
  std::unique_ptr<Kernel> kernel;
  std::vector<std::optional<GuardedBuffer>> inputs;  // nothing: null at launch
  std::optional<GuardedBuffer> output;
  std::optional<GuardedBuffer> workspace;
};

// The indices of the operands that the kernel took over.
Result<std::vector<int>> pack_parameters(const Case& test, Kernel& kernel) {
  std::vector<Tensor> tensors(test.inputs.size());
  std::vector<const Tensor*> constants(test.inputs.size(), nullptr);
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    const OperandSpec& spec = test.specs.inputs[i];
    if (!spec.is_parameter || !spec.present) continue;
    tensors[i] = Tensor::wrap({spec.dtype, {spec.elements}}, test.inputs[i].data(), nullptr);
    constants[i] = &tensors[i];
  }
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int> taken, kernel.pack_constants(constants));
  for (const int index : taken) {
    if (index < 0 || static_cast<size_t>(index) >= constants.size() ||
        constants[static_cast<size_t>(index)] == nullptr) {
      return internal_error("pack_constants took operand " + std::to_string(index) +
                            ", which is not a constant");
    }
  }
  return taken;
}

Result<Prepared> prepare(const Case& test, bool pack) {
  Prepared prepared;
  TESSERA_ASSIGN_OR_RETURN(prepared.kernel, test.entry.create(test.problem, test.device));
  std::vector<bool> taken(test.inputs.size(), false);
  if (pack) {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<int> indices,
                             pack_parameters(test, *prepared.kernel));
    for (const int index : indices) taken[static_cast<size_t>(index)] = true;
  }
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    std::optional<GuardedBuffer> buffer;
    if (test.specs.inputs[i].present && !taken[i]) {
      TESSERA_ASSIGN_OR_RETURN(
          buffer, GuardedBuffer::create(test.device, test.stream, test.inputs[i].size()));
      TESSERA_RETURN_IF_ERROR(buffer->write(test.inputs[i], test.stream));
    }
    prepared.inputs.push_back(std::move(buffer));
  }
  TESSERA_ASSIGN_OR_RETURN(prepared.output, GuardedBuffer::create(test.device, test.stream,
                                                                  test.specs.output.size_bytes()));
  TESSERA_ASSIGN_OR_RETURN(
      prepared.workspace,
      GuardedBuffer::create(test.device, test.stream, prepared.kernel->workspace_bytes()));
  return prepared;
}

Status launch(const Case& test, Prepared& prepared, bool in_graph) {
  std::vector<const void*> pointers;
  for (const auto& input : prepared.inputs) pointers.push_back(input ? input->data() : nullptr);
  const Operands operands{pointers, prepared.output->data(), prepared.workspace->data()};
  TESSERA_RETURN_IF_ERROR(prepared.output->poison(test.stream));
  TESSERA_RETURN_IF_ERROR(prepared.workspace->poison(test.stream));
  if (!in_graph) {
    TESSERA_RETURN_IF_ERROR(prepared.kernel->launch(operands, test.stream));
    return test.stream.synchronize();
  }
  TESSERA_RETURN_IF_ERROR(test.stream.begin_capture());
  TESSERA_RETURN_IF_ERROR(prepared.kernel->launch(operands, test.stream));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<ExecutableGraph> graph, test.stream.end_capture());
  TESSERA_RETURN_IF_ERROR(graph->launch(test.stream));
  return test.stream.synchronize();
}

Status check_guard(const GuardedBuffer& buffer, const std::string& name, Stream& stream) {
  TESSERA_ASSIGN_OR_RETURN(const auto damage, buffer.check_guards(stream));
  return damage ? internal_error(name + ": " + *damage) : Status();
}

Status check_memory(const Case& test, const Prepared& prepared) {
  for (size_t i = 0; i < prepared.inputs.size(); ++i) {
    if (!prepared.inputs[i]) continue;
    const std::string name = "operand " + std::to_string(i);
    TESSERA_RETURN_IF_ERROR(check_guard(*prepared.inputs[i], name, test.stream));
    TESSERA_ASSIGN_OR_RETURN(const Bytes content, prepared.inputs[i]->read(test.stream));
    if (content != test.inputs[i]) return internal_error(name + " was written to");
  }
  TESSERA_RETURN_IF_ERROR(check_guard(*prepared.output, "output", test.stream));
  return check_guard(*prepared.workspace, "workspace", test.stream);
}

// Elements between the rows must still be poison; they are left out of the comparison by making
// their expected value what the poison reads as.
Status check_result(const Case& test, const Bytes& result) {
  const OperandSpec& output = test.specs.output;
  const size_t size = dtype_size_bytes(output.dtype);
  Truth truth = test.truth;
  truth.value = truth.value_for(result, output.dtype);
  for (int64_t i = 0; i < output.elements; ++i) {
    if (!is_gap(test.problem, i)) continue;
    const auto at = static_cast<size_t>(i);
    for (size_t byte = at * size; byte < (at + 1) * size; ++byte) {
      if (result[byte] != std::byte{0xff}) {
        return internal_error("the gap between two rows was written to at " +
                              coordinates(i, test.specs.output_shape));
      }
    }
    truth.value[at] = read_element(result, output.dtype, i);
  }
  const Shape& shape = test.specs.output_shape;
  const auto difference = truth.exact.empty()
                              ? compare(result, output.dtype, {truth.value, truth.tolerance}, shape)
                              : compare_exactly(result, truth.exact, output.dtype, shape);
  return difference ? internal_error(*difference) : Status();
}

Status check_launches(const Case& test, bool pack) {
  TESSERA_ASSIGN_OR_RETURN(Prepared prepared, prepare(test, pack));
  TESSERA_RETURN_IF_ERROR(launch(test, prepared, false));
  TESSERA_ASSIGN_OR_RETURN(const Bytes first, prepared.output->read(test.stream));
  TESSERA_RETURN_IF_ERROR(check_memory(test, prepared));
  TESSERA_RETURN_IF_ERROR(check_result(test, first));
  TESSERA_RETURN_IF_ERROR(launch(test, prepared, test.device.supports_graphs()));
  TESSERA_ASSIGN_OR_RETURN(const Bytes second, prepared.output->read(test.stream));
  TESSERA_RETURN_IF_ERROR(check_memory(test, prepared));
  if (first != second) return internal_error("two launches gave different bits");
  return {};
}

bool has_parameters(const ProblemOperands& specs) {
  for (const OperandSpec& spec : specs.inputs) {
    if (spec.is_parameter && spec.present) return true;
  }
  return false;
}

// Indices out of range: a kernel on the host names the index, one on another device gives zeros.
Status check_out_of_range_gather(Case& test) {
  const auto& gather = std::get<GatherProblem>(test.problem);
  if (test.device.shares_host_memory()) {
    TESSERA_ASSIGN_OR_RETURN(Prepared prepared, prepare(test, false));
    const Status status = launch(test, prepared, false);
    const bool named = status.code() == StatusCode::kInvalidArgument &&
                       status.message().find(std::to_string(gather.axis)) != std::string::npos;
    if (!named) return internal_error("an index out of range is not reported: " + status.message());
    return check_memory(test, prepared);
  }
  // The truth of a source extended by a slice of zeros at its end.
  GatherProblem extended = gather;
  extended.axis += 1;
  const size_t slice = static_cast<size_t>(gather.inner) * dtype_size_bytes(gather.dtype);
  const size_t rows = static_cast<size_t>(gather.axis) * slice;
  std::vector<Bytes> inputs = test.inputs;
  inputs[0].clear();
  for (int64_t o = 0; o < gather.outer; ++o) {
    const auto from =
        test.inputs[0].begin() + static_cast<std::ptrdiff_t>(o) * static_cast<std::ptrdiff_t>(rows);
    inputs[0].insert(inputs[0].end(), from, from + static_cast<std::ptrdiff_t>(rows));
    inputs[0].insert(inputs[0].end(), slice, std::byte{0});
  }
  const std::vector<double> indices = decode(test.inputs[1], gather.index_dtype);
  for (size_t j = 0; j < indices.size(); ++j) {
    const auto index = static_cast<int64_t>(indices[j]);
    const bool in_range = index >= -gather.axis && index < gather.axis;
    const int64_t row = in_range ? (index + gather.axis) % gather.axis : gather.axis;
    std::byte* at = inputs[1].data() + j * dtype_size_bytes(gather.index_dtype);
    for (size_t byte = 0; byte < dtype_size_bytes(gather.index_dtype); ++byte) {
      at[byte] = static_cast<std::byte>(static_cast<uint64_t>(row) >> (8 * byte));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(test.truth, compute_truth(extended, inputs));
  return check_launches(test, false);
}

// Leaves out the results that overflow the output's dtype.
void except_overflow(DType dtype, Truth& truth) {
  const double threshold = overflow_threshold(dtype);
  for (size_t i = 0; i < truth.value.size(); ++i) {
    if (std::fabs(truth.value[i]) + truth.tolerance[i] >= threshold) truth.unspecified.push_back(i);
  }
}

Status check_data_set(const KernelEntry& entry, const Problem& problem, DataSet data_set,
                      Device& device, Stream& stream) {
  Case test{
      entry, problem, device, stream, describe_operands(problem), make_inputs(problem, data_set),
      {}};
  const auto* gather = std::get_if<GatherProblem>(&problem);
  if (gather != nullptr && data_set == DataSet::kSpecial && gather->index_count > 0) {
    return check_out_of_range_gather(test);
  }
  TESSERA_ASSIGN_OR_RETURN(test.truth, compute_truth(problem, test.inputs, entry.winograd_outputs));
  if (!entry.keeps_special_values) except_overflow(test.specs.output.dtype, test.truth);
  TESSERA_RETURN_IF_ERROR(check_launches(test, false));
  if (!has_parameters(test.specs)) return {};
  return check_launches(test, true).with_context("with packed constants");
}

// The problem in the layouts that the kernel asks for, where it asks.
std::optional<Problem> in_preferred_layouts(const KernelEntry& entry, const Problem& problem,
                                            const DeviceInfo& device) {
  if (entry.prefer_layouts == nullptr) return std::nullopt;
  const LayoutPreference preference = entry.prefer_layouts(problem, device);
  Problem preferred = problem;
  if (auto* conv = std::get_if<ConvProblem>(&preferred)) {
    conv->src_layout = preference.src;
    conv->dst_layout = preference.dst;
  } else if (auto* pool = std::get_if<PoolProblem>(&preferred)) {
    pool->layout = preference.src;
  }
  if (preferred == problem) return std::nullopt;
  return preferred;
}

}  // namespace

Status check_kernel(const KernelEntry& entry, const Problem& problem, Device& device,
                    Stream& stream) {
  for (const DataSet data_set : kDataSets) {
    if (data_set == DataSet::kSpecial && !entry.keeps_special_values) continue;
    TESSERA_RETURN_IF_ERROR(check_data_set(entry, problem, data_set, device, stream)
                                .with_context(std::string(entry.name) + " on " +
                                              to_string(problem) + ", " + data_set_name(data_set) +
                                              " data"));
  }
  return {};
}

EntryReport run_entry(const KernelEntry& entry, std::span<const Problem> problems, Device& device) {
  constexpr size_t kMostFailures = 5;
  EntryReport report;
  const auto stream = device.create_stream();
  if (!stream.ok()) {
    report.failures.push_back(stream.status().message());
    return report;
  }
  const auto run = [&](const Problem& problem) {
    ++report.ran;
    const Status status = check_kernel(entry, problem, device, **stream);
    if (!status.ok()) report.failures.push_back(status.message());
  };
  for (const Problem& problem : problems) {
    if (problem_family(problem) != entry.family) continue;
    if (report.failures.size() >= kMostFailures) break;
    const Support support = entry.supports(problem, device.info());
    if (!support.ok()) {
      ++report.refusals[support.reason()];
      continue;
    }
    run(problem);
    const auto preferred = in_preferred_layouts(entry, problem, device.info());
    if (!preferred) continue;
    if (entry.supports(*preferred, device.info()).ok()) {
      run(*preferred);
    } else {
      report.failures.push_back(std::string(entry.name) +
                                " prefers layouts that it refuses: " + to_string(*preferred));
    }
  }
  return report;
}

}  // namespace tessera::testing
