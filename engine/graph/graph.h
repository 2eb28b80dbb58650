// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "layers/layer.h"

namespace tessera {

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // an optional input left out, an unnamed output

// One extent as the model file declares it.
struct DeclaredDim {
  int64_t extent = -1;  // -1: not fixed
  std::string symbol;   // "batch"; empty when the extent is fixed or the file names none
};

// An edge of the graph: a graph input, a constant, or the output of one node.
struct Value {
  std::string name;
  std::optional<DType> declared_dtype;
  std::optional<std::vector<DeclaredDim>> declared_shape;
  std::optional<Tensor> constant;  // an initializer or a folded result
  std::optional<TensorDesc> desc;  // set by shape inference; always set for a constant
};

// An operator applied to values.
struct Node {
  std::string name;  // never empty: the ONNX name, or "Conv_3" made from operator and position
  std::string op_type;
  std::string domain;
  int opset = 0;  // of its domain
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Attributes attributes;
  const LayerDef* layer = nullptr;
  std::vector<std::string> folded_names;  // nodes that passes merged into this one, in order
};

// An ONNX graph after loading: nodes in topological order, names resolved to indices, operators
// looked up. A plain value: passes take one and change it.
struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;                  // what a caller feeds: initializers are not listed
  std::vector<ValueId> outputs;                 // in the model's order; a value may appear twice
  std::map<std::string, std::string> metadata;  // metadata_props
  std::string producer;                         // "pytorch 2.9.1"
  int64_t ir_version = 0;
  int opset = 0;  // of the default domain
};

// For every value the number of node inputs that read it, plus one for each time it is a graph
// output.
std::vector<int> count_uses(const Graph& graph);

// The index of the node that produces each value, -1 for inputs and constants.
std::vector<int> find_producers(const Graph& graph);

// Puts the nodes into topological order (stable: a sorted graph stays as it is). kInvalidModel
// names the nodes of a cycle.
Status sort_topologically(Graph& graph);

// The LayerInputs of a node from the values' descriptors and constants. Requires: shapes inferred
// for all its inputs.
std::vector<LayerInput> layer_inputs(const Graph& graph, const Node& node);
LayerNode layer_node(const Node& node);

// "Conv 'conv1' (opset 13)": how messages name a node.
std::string describe(const Node& node);

}  // namespace tessera
