// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/compile.h"
#include "engine/passes/passes.h"
#include "engine/program/assign_kernels.h"
#include "engine/program/fuse_epilogues.h"

namespace tessera {
namespace {

void append(std::vector<std::string>& all, const PassLog& log) {
  all.insert(all.end(), log.begin(), log.end());
}

using GraphPass = Result<PassLog> (*)(Graph&);

Status run_passes(Graph& graph, std::span<const GraphPass> passes, std::vector<std::string>& log) {
  for (const GraphPass pass : passes) {
    TESSERA_ASSIGN_OR_RETURN(const PassLog lines, pass(graph));
    append(log, lines);
  }
  return {};
}

// The value of `name` for messages, with what the model declares for it.
Status check_declared(const Graph& graph, std::span<const Shape> shapes) {
  for (size_t i = 0; i < graph.inputs.size() && i < shapes.size(); ++i) {
    const Value& input = graph.values[graph.inputs[i]];
    if (!input.declared_shape) continue;
    const auto& declared = *input.declared_shape;
    bool fits = declared.size() == shapes[i].rank();
    for (size_t axis = 0; fits && axis < declared.size(); ++axis) {
      fits = declared[axis].extent < 0 || declared[axis].extent == shapes[i][axis];
    }
    if (fits) continue;
    std::string wanted;
    for (const DeclaredDim& dim : declared) {
      wanted += (wanted.empty() ? "" : ", ") + (dim.extent >= 0      ? std::to_string(dim.extent)
                                                : dim.symbol.empty() ? std::string("?")
                                                                     : dim.symbol);
    }
    return invalid_argument("input '" + input.name + "' has shape " + shapes[i].to_string() +
                            ", but the model declares (" + wanted + ")");
  }
  return {};
}

}  // namespace

Result<KernelProgram> build_program(Graph graph, const OpenDevice& device,
                                    std::span<const Shape> input_shapes,
                                    const CompileOptions& options) {
  TESSERA_RETURN_IF_ERROR(check_declared(graph, input_shapes));
  const DeviceInfo& info = device.device->info();
  KernelChooser chooser(*device.backend, info, options.choice);
  TESSERA_RETURN_IF_ERROR(chooser.check_names());
  KernelProgram result;
  const bool has_batch = !input_shapes.empty() && input_shapes[0].rank() > 0;
  result.batch = has_batch ? input_shapes[0][0] : 1;
  result.precision = options.precision.to_string();
  const auto tell = [&](const std::string& sentence) {
    if (options.tell && !sentence.empty()) options.tell(sentence);
  };
  tell(chooser.put_stale_plan_aside(result.batch, options.precision.to_string()));
  TESSERA_ASSIGN_OR_RETURN(const PassLog folded, infer_shapes_and_fold(graph, input_shapes));
  append(result.passes, folded);
  constexpr GraphPass kOptimizations[] = {remove_identities, remove_dead_nodes, fold_batch_norm};
  constexpr GraphPass kCleanUp[] = {remove_dead_nodes};
  if (options.optimize) {
    TESSERA_RETURN_IF_ERROR(run_passes(graph, kOptimizations, result.passes));
  }
  TESSERA_RETURN_IF_ERROR(run_passes(graph, kCleanUp, result.passes));
  TESSERA_ASSIGN_OR_RETURN(result.program, lower_graph(graph));

  if (options.optimize) {
    const auto can_run = [&](const Step& step) { return chooser.choose(step).ok(); };
    append(result.passes, fuse_epilogues(result.program, can_run));
  }
  TESSERA_RETURN_IF_ERROR(apply_precision(result.program, options.precision, chooser, tell));
  TESSERA_ASSIGN_OR_RETURN(result.choices, assign_kernels(result.program, chooser));
  // Only now: a pattern may be for a reorder that the choice of layouts has put in.
  TESSERA_RETURN_IF_ERROR(chooser.check_patterns(result.program));
  for (const std::string& sentence : chooser.stale_entries(result.program)) tell(sentence);
  return result;
}

}  // namespace tessera
