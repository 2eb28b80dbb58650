// SPDX-License-Identifier: Apache-2.0
#include "layers/layer.h"

#include <array>
#include <utility>

#include "layers/layers.h"

namespace tessera {

Lowering Lowering::compute(Problem problem, std::vector<int> operands) {
  Lowering lowering;
  lowering.outputs.emplace_back(Computed{});
  lowering.problem = std::move(problem);
  lowering.operands = std::move(operands);
  return lowering;
}

Lowering Lowering::alias(int input) {
  Lowering lowering;
  lowering.outputs.emplace_back(Alias{input});
  return lowering;
}

Lowering Lowering::constant(Tensor value) {
  Lowering lowering;
  lowering.outputs.emplace_back(Constant{std::move(value)});
  return lowering;
}

std::span<const LayerDef* const> layer_defs() {
  static constexpr std::array kDefs = {
#define TESSERA_LAYER(name) &name##_layer,
#include "layers/layers.inc"
#undef TESSERA_LAYER
  };
  return kDefs;
}

const LayerDef* find_layer(std::string_view domain, std::string_view op_type) {
  if (domain == "ai.onnx") domain = "";
  for (const LayerDef* def : layer_defs()) {
    if (def->domain == domain && def->op_type == op_type) return def;
  }
  return nullptr;
}

namespace internal {

Status check_input_sizes(std::span<const LayerInput> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].present) continue;
    TESSERA_RETURN_IF_ERROR(inputs[i].desc.validate().with_context("input " + std::to_string(i)));
  }
  return {};
}

Status check_outputs(const LayerNode& node, std::span<const TensorDesc> outputs) {
  if (node.num_outputs > outputs.size()) {
    return invalid_model("the node names " + std::to_string(node.num_outputs) + " outputs where " +
                         std::string(node.op_type) + " has " + std::to_string(outputs.size()));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(outputs[i].validate().with_context("output " + std::to_string(i)));
  }
  return {};
}

}  // namespace internal
}  // namespace tessera
