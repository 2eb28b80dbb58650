// SPDX-License-Identifier: Apache-2.0
#include "core/check.h"
#include "core/status_list.h"
#include "engine/program/program.h"

namespace tessera {
namespace {

// Where an output that no step computes comes from.
Status bind_output(Program& program, const Node& node, const Lowering::OutputSource& source,
                   ValueId output, bool is_read) {
  ProgramValue& value = program.values[output];
  if (const auto* alias = std::get_if<Lowering::Alias>(&source)) {
    value.alias_of = program.root(node.inputs[alias->input]);
  } else if (const auto* constant = std::get_if<Lowering::Constant>(&source)) {
    value.constant = constant->value;
  } else if (const auto* unavailable = std::get_if<Lowering::Unavailable>(&source)) {
    if (is_read) {
      return unsupported("output '" + value.name +
                         "' is used, but is not computed at inference: " + unavailable->reason);
    }
  }
  return {};
}

Status lower_node(const Graph& graph, const Node& node, const std::vector<int>& uses,
                  Program& program) {
  std::vector<TensorDesc> descs;
  for (const ValueId output : node.outputs) {
    descs.push_back(output == kNoValue ? TensorDesc() : *graph.values[output].desc);
  }
  const std::vector<LayerInput> inputs = layer_inputs(graph, node);
  TESSERA_ASSIGN_OR_RETURN(Lowering lowering, node.layer->lower(layer_node(node), inputs, descs));
  Step step;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId output = node.outputs[i];
    // A constant that shape inference has folded needs no step.
    if (output == kNoValue || program.values[output].constant) continue;
    if (std::holds_alternative<Lowering::Computed>(lowering.outputs[i])) {
      step.output = output;
    } else {
      TESSERA_RETURN_IF_ERROR(
          bind_output(program, node, lowering.outputs[i], output, uses[output] > 0));
    }
  }
  if (step.output == kNoValue) return {};
  TESSERA_CHECK(lowering.problem.has_value());
  step.problem = std::move(*lowering.problem);
  step.node_names = {node.name};
  step.node_names.insert(step.node_names.end(), node.folded_names.begin(), node.folded_names.end());
  step.op_types = {node.op_type};
  step.op_types.resize(step.node_names.size());
  for (const int operand : lowering.operands) {
    step.inputs.push_back(operand < 0 ? kNoValue : node.inputs[operand]);
  }
  program.steps.push_back(std::move(step));
  return {};
}

}  // namespace

Result<Program> lower_graph(const Graph& graph) {
  Program program;
  for (const Value& value : graph.values) {
    program.values.push_back({value.name, value.desc.value_or(TensorDesc()), value.constant});
  }
  program.inputs = graph.inputs;
  program.outputs = graph.outputs;
  const std::vector<int> uses = count_uses(graph);
  StatusList problems;
  for (const Node& node : graph.nodes) {
    problems.add(describe(node), lower_node(graph, node, uses, program));
  }
  TESSERA_RETURN_IF_ERROR(problems.status());
  return program;
}

}  // namespace tessera
