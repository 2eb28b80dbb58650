// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/status_list.h"
#include "engine/passes/passes.h"
#include "engine/program/reference_run.h"

namespace tessera {
namespace {

size_t constant_input_bytes(const Graph& graph, const Node& node) {
  size_t bytes = 0;
  for (const ValueId input : node.inputs) {
    if (input != kNoValue && graph.values[input].constant) {
      bytes += graph.values[input].constant->size_bytes();
    }
  }
  return bytes;
}

// The value of the one output that a problem computes, when all its operands are constants.
Result<std::optional<Tensor>> fold_computed(const Graph& graph, const Node& node,
                                            const Lowering& lowering, const TensorDesc& output) {
  std::vector<const Tensor*> operands;
  for (const int input : lowering.operands) {
    const ValueId value = input < 0 ? kNoValue : node.inputs[input];
    if (value != kNoValue && !graph.values[value].constant) return std::optional<Tensor>();
    operands.push_back(value == kNoValue ? nullptr : &*graph.values[value].constant);
  }
  const size_t limit = std::max(kMaxFoldedBytes, constant_input_bytes(graph, node));
  if (output.size_bytes() > limit) return std::optional<Tensor>();
  TESSERA_ASSIGN_OR_RETURN(Tensor value, run_on_reference(*lowering.problem, operands, output));
  return std::optional<Tensor>(std::move(value));
}

Result<std::optional<Tensor>> fold_output(const Graph& graph, const Node& node,
                                          const Lowering& lowering, size_t index,
                                          const TensorDesc& desc) {
  const Lowering::OutputSource& source = lowering.outputs[index];
  if (const auto* constant = std::get_if<Lowering::Constant>(&source)) {
    return std::optional<Tensor>(constant->value);
  }
  if (const auto* alias = std::get_if<Lowering::Alias>(&source)) {
    const Value& input = graph.values[node.inputs[alias->input]];
    if (!input.constant) return std::optional<Tensor>();
    return std::optional<Tensor>(input.constant->reshaped(desc.shape));
  }
  if (std::holds_alternative<Lowering::Computed>(source)) {
    return fold_computed(graph, node, lowering, desc);
  }
  return std::optional<Tensor>();
}

// Infers one node; sets descriptors and, where known, constants of its outputs.
Status infer_node(Graph& graph, const Node& node, PassLog& log) {
  const std::vector<LayerInput> inputs = layer_inputs(graph, node);
  TESSERA_ASSIGN_OR_RETURN(const std::vector<TensorDesc> descs,
                           node.layer->infer(layer_node(node), inputs));
  TESSERA_ASSIGN_OR_RETURN(const Lowering lowering,
                           node.layer->lower(layer_node(node), inputs, descs));
  bool folded = false;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    Value& output = graph.values[node.outputs[i]];
    TESSERA_RETURN_IF_ERROR(descs[i].validate());
    output.desc = descs[i];
    TESSERA_ASSIGN_OR_RETURN(output.constant, fold_output(graph, node, lowering, i, descs[i]));
    folded |= output.constant.has_value();
  }
  if (folded && node.op_type != "Constant") log.push_back("folded " + node.name);
  return {};
}

bool inputs_are_inferred(const Graph& graph, const Node& node) {
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
    return input == kNoValue || graph.values[input].desc.has_value();
  });
}

Status set_input_descs(Graph& graph, std::span<const Shape> input_shapes) {
  if (input_shapes.size() != graph.inputs.size()) {
    return invalid_argument("the model has " + std::to_string(graph.inputs.size()) +
                            " inputs, but shapes for " + std::to_string(input_shapes.size()) +
                            " were given");
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Value& value = graph.values[graph.inputs[i]];
    const TensorDesc desc{value.declared_dtype.value_or(DType::kF32), input_shapes[i]};
    TESSERA_RETURN_IF_ERROR(desc.validate().with_context("input '" + value.name + "'"));
    value.desc = desc;
  }
  return {};
}

}  // namespace

Result<PassLog> infer_shapes_and_fold(Graph& graph, std::span<const Shape> input_shapes) {
  TESSERA_RETURN_IF_ERROR(set_input_descs(graph, input_shapes));
  for (Value& value : graph.values) {
    if (value.constant) value.desc = value.constant->desc();
  }
  PassLog log;
  StatusList problems;
  for (const Node& node : graph.nodes) {
    // What hangs on a node that failed is left out: its own problems cannot be known.
    if (!inputs_are_inferred(graph, node)) continue;
    problems.add(describe(node), infer_node(graph, node, log));
  }
  TESSERA_RETURN_IF_ERROR(problems.status());
  return log;
}

}  // namespace tessera
