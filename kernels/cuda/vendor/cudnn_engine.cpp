// SPDX-License-Identifier: Apache-2.0
// Which of cuDNN's engines computes a graph.
#include <algorithm>

#include "kernels/cuda/vendor/cudnn_graph.h"

namespace tessera::cuda {
namespace {

constexpr int64_t kMostEngines = 64;

using Notes = std::vector<cudnnBackendNumericalNote_t>;

bool has_note(const Notes& notes, cudnnBackendNumericalNote_t note) {
  return std::find(notes.begin(), notes.end(), note) != notes.end();
}

// Transforms of the data (FFT, Winograd) spread one infinity over a whole tile of results.
bool computes_as_asked(const Notes& notes, const EngineDemands& demands) {
  for (const auto note :
       {CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC,
        CUDNN_NUMERICAL_NOTE_FFT, CUDNN_NUMERICAL_NOTE_WINOGRAD,
        CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6,
        CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13}) {
    if (has_note(notes, note)) return false;
  }
  if (demands.strict_float32 && (has_note(notes, CUDNN_NUMERICAL_NOTE_TENSOR_CORE) ||
                                 has_note(notes, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS))) {
    return false;
  }
  return true;
}

Result<std::vector<GraphDescriptor>> engine_configurations(const GraphDescriptor& graph,
                                                           cudnnBackendHeurMode_t mode) {
  TESSERA_ASSIGN_OR_RETURN(GraphDescriptor heuristics,
                           GraphDescriptor::create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR));
  TESSERA_RETURN_IF_ERROR(heuristics.set_descriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph));
  TESSERA_RETURN_IF_ERROR(
      heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode));
  TESSERA_RETURN_IF_ERROR(heuristics.finalize());
  // cuDNN fills descriptors that the caller has made.
  std::vector<GraphDescriptor> configurations;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (int64_t i = 0; i < kMostEngines; ++i) {
    TESSERA_ASSIGN_OR_RETURN(GraphDescriptor configuration,
                             GraphDescriptor::create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    raw.push_back(configuration.get());
    configurations.push_back(std::move(configuration));
  }
  int64_t count = 0;
  TESSERA_CUDNN_RETURN_IF_ERROR(
      cudnn()->get_attribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                             CUDNN_TYPE_BACKEND_DESCRIPTOR, kMostEngines, &count, raw.data()),
      "cudnnBackendGetAttribute");
  configurations.erase(configurations.begin() + std::min(count, kMostEngines),
                       configurations.end());
  return configurations;
}

Result<Notes> numerical_notes(const GraphDescriptor& configuration) {
  TESSERA_ASSIGN_OR_RETURN(GraphDescriptor engine,
                           GraphDescriptor::create(CUDNN_BACKEND_ENGINE_DESCRIPTOR));
  cudnnBackendDescriptor_t raw = engine.get();
  int64_t count = 0;
  TESSERA_CUDNN_RETURN_IF_ERROR(
      cudnn()->get_attribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                             CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw),
      "cudnnBackendGetAttribute");
  Notes notes(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  TESSERA_CUDNN_RETURN_IF_ERROR(
      cudnn()->get_attribute(engine.get(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                             CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &count,
                             notes.data()),
      "cudnnBackendGetAttribute");
  notes.resize(static_cast<size_t>(count));
  return notes;
}

Result<ExecutionPlan> finalize_plan(const CudnnHandle& handle,
                                    const GraphDescriptor& configuration) {
  TESSERA_ASSIGN_OR_RETURN(GraphDescriptor descriptor,
                           GraphDescriptor::create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
  TESSERA_RETURN_IF_ERROR(descriptor.set_handle(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle.get()));
  TESSERA_RETURN_IF_ERROR(
      descriptor.set_descriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration));
  TESSERA_RETURN_IF_ERROR(descriptor.finalize());
  TESSERA_ASSIGN_OR_RETURN(const int64_t workspace_bytes,
                           descriptor.get_int(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  return ExecutionPlan{std::move(descriptor), workspace_bytes};
}

}  // namespace

Result<ExecutionPlan> make_execution_plan(const CudnnHandle& handle, const GraphDescriptor& graph,
                                          const EngineDemands& demands) {
  std::string last;  // what the last engine that was tried said
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    const Result<std::vector<GraphDescriptor>> configurations = engine_configurations(graph, mode);
    if (!configurations.ok()) {
      last = configurations.status().message();
      continue;
    }
    for (const GraphDescriptor& configuration : *configurations) {
      TESSERA_ASSIGN_OR_RETURN(const Notes notes, numerical_notes(configuration));
      if (!computes_as_asked(notes, demands)) continue;
      if (demands.strict_nan && !has_note(notes, CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP)) {
        return unsupported("cuDNN's best engine for this does not promise to keep NaN");
      }
      Result<ExecutionPlan> plan = finalize_plan(handle, configuration);
      if (plan.ok() && plan->workspace_bytes <= demands.most_workspace_bytes) return plan;
      last = plan.ok() ? "a workspace over the limit" : plan.status().message();
    }
  }
  return unsupported("cuDNN has no engine that computes this as asked" +
                     (last.empty() ? last : " (" + last + ")"));
}

}  // namespace tessera::cuda
