// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/passes/passes.h"

namespace tessera {
namespace {

// The input that a node's first output equals in every respect, or kNoValue.
Result<ValueId> identical_input(const Graph& graph, const Node& node) {
  const std::vector<LayerInput> inputs = layer_inputs(graph, node);
  std::vector<TensorDesc> descs;
  for (const ValueId output : node.outputs) {
    descs.push_back(output == kNoValue ? TensorDesc() : *graph.values[output].desc);
  }
  TESSERA_ASSIGN_OR_RETURN(const Lowering lowering,
                           node.layer->lower(layer_node(node), inputs, descs));
  const auto* alias = std::get_if<Lowering::Alias>(&lowering.outputs[0]);
  if (alias == nullptr || node.outputs[0] == kNoValue) return kNoValue;
  const ValueId input = node.inputs[alias->input];
  return graph.values[input].desc == graph.values[node.outputs[0]].desc ? input : kNoValue;
}

void replace_uses(Graph& graph, ValueId from, ValueId to) {
  for (Node& node : graph.nodes) {
    std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  }
  std::replace(graph.outputs.begin(), graph.outputs.end(), from, to);
}

}  // namespace

Result<PassLog> remove_identities(Graph& graph) {
  PassLog log;
  for (const Node& node : graph.nodes) {
    const ValueId output = node.outputs.empty() ? kNoValue : node.outputs[0];
    if (output == kNoValue || graph.values[output].constant) continue;
    TESSERA_ASSIGN_OR_RETURN(const ValueId input, identical_input(graph, node));
    if (input == kNoValue) continue;
    replace_uses(graph, output, input);
    log.push_back("removed " + node.name + " (" + node.op_type + ")");
  }
  // The nodes themselves are dead now; remove_dead_nodes takes them away.
  return log;
}

}  // namespace tessera
