// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/status.h"
#include "core/tensor.h"
#include "kernels/problem/problem.h"
#include "layers/attributes.h"

namespace tessera {

// The newest opset of the default ONNX domain whose operator definitions this project has read.
inline constexpr int kNewestOpset = 28;
// The oldest. Operators whose definition at 6 differs too much (Add broadcast through attributes)
// start later: LayerDef::first_opset.
inline constexpr int kOldestOpset = 6;

// What a layer may know about one input of its node.
struct LayerInput {
  bool present = false;              // false for an optional input left out
  TensorDesc desc;                   // row-major; all extents known
  const Tensor* constant = nullptr;  // its value, when that is known before the first run
};

// The node that a layer interprets, without its tensors.
struct LayerNode {
  std::string_view op_type;
  int opset = 0;
  size_t num_outputs = 1;  // up to the last one that is named
  const Attributes& attributes;
};

// What a node turns into: at most one problem, and for every output where it comes from.
struct Lowering {
  struct Computed {};  // written by the problem; at most one output
  struct Alias {       // the same bytes as an input, under another shape (Reshape, Identity)
    int input = 0;
  };
  struct Constant {  // known without running anything (Shape, Dropout's mask)
    Tensor value;
  };
  struct Unavailable {  // not produced at inference (running statistics of BatchNormalization)
    std::string reason;
  };
  using OutputSource = std::variant<Computed, Alias, Constant, Unavailable>;

  std::vector<OutputSource> outputs;
  std::optional<Problem> problem;
  // For each operand of the problem, in its order, the index of the node's input; -1 when absent.
  std::vector<int> operands;

  static Lowering compute(Problem problem, std::vector<int> operands);
  static Lowering alias(int input);
  static Lowering constant(Tensor value);
};

// One ONNX operator: which opsets, the shapes of its outputs, the problem that computes it.
struct LayerDef {
  std::string_view op_type;
  std::string_view domain;  // "" is the default ONNX domain
  int first_opset = kOldestOpset;
  std::string_view note;  // limits, for `infer ops`; empty when there are none
  // The descriptors of the outputs (num_outputs of them). Messages name the offending input, its
  // shape and what was expected; the caller adds the node. kInvalidModel, kUnsupported or
  // kOutOfMemory.
  Result<std::vector<TensorDesc>> (*infer)(const LayerNode& node,
                                           std::span<const LayerInput> inputs);
  // Requires: infer succeeded and gave `outputs`.
  Result<Lowering> (*lower)(const LayerNode& node, std::span<const LayerInput> inputs,
                            std::span<const TensorDesc> outputs);
};

// All operators of layers.inc, in that order.
std::span<const LayerDef* const> layer_defs();

// The definition of an operator, or null. `domain` "ai.onnx" is the default domain too.
const LayerDef* find_layer(std::string_view domain, std::string_view op_type);

namespace internal {

// What every layer demands of its inputs and outputs, so that no layer has to: extents that are not
// negative and sizes that fit into 64 bits.
Status check_input_sizes(std::span<const LayerInput> inputs);
// Also that the node names no more outputs than the layer described.
Status check_outputs(const LayerNode& node, std::span<const TensorDesc> outputs);

}  // namespace internal

// Builds a LayerDef from three typed functions:
//   Result<AttrsT> parse(AttributeReader& reader, const LayerNode& node)
//   Result<std::vector<TensorDesc>> infer(const AttrsT&, std::span<const LayerInput>)
//   Result<Lowering> lower(const AttrsT&, std::span<const LayerInput>, std::span<const TensorDesc>)
// parse reads every attribute; the reader's errors and unknown attributes are reported for it. What
// depends on the opset or on the number of outputs becomes a field of AttrsT. infer can rely on
// sizes that do not overflow, and its outputs are checked for it.
template <typename AttrsT, auto Parse>
Result<AttrsT> parse_attributes(const LayerNode& node) {
  AttributeReader reader(node.attributes);
  Result<AttrsT> attributes = Parse(reader, node);
  TESSERA_RETURN_IF_ERROR(reader.finish());
  return attributes;
}

template <typename AttrsT, auto Parse, auto Infer, auto Lower>
constexpr LayerDef make_layer_def(std::string_view op_type, int first_opset = kOldestOpset,
                                  std::string_view note = {}) {
  return LayerDef{
      op_type,
      "",
      first_opset,
      note,
      [](const LayerNode& node,
         std::span<const LayerInput> inputs) -> Result<std::vector<TensorDesc>> {
        TESSERA_RETURN_IF_ERROR(internal::check_input_sizes(inputs));
        TESSERA_ASSIGN_OR_RETURN(const AttrsT attributes, (parse_attributes<AttrsT, Parse>(node)));
        TESSERA_ASSIGN_OR_RETURN(std::vector<TensorDesc> outputs, Infer(attributes, inputs));
        TESSERA_RETURN_IF_ERROR(internal::check_outputs(node, outputs));
        return outputs;
      },
      [](const LayerNode& node, std::span<const LayerInput> inputs,
         std::span<const TensorDesc> outputs) -> Result<Lowering> {
        TESSERA_ASSIGN_OR_RETURN(const AttrsT attributes, (parse_attributes<AttrsT, Parse>(node)));
        return Lower(attributes, inputs, outputs);
      }};
}

}  // namespace tessera
