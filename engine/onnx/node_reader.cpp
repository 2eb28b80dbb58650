// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/node_reader.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph/printable.h"
#include "engine/onnx/attribute_reader.h"
#include "engine/onnx/node_names.h"
#include "onnx_schema.pb.h"

namespace tessera {
namespace {

// (domain, name) of the functions that a model defines itself.
using FunctionNames = std::set<std::pair<std::string, std::string>>;

FunctionNames read_function_names(const onnx::ModelProto& model) {
  FunctionNames names;
  for (const onnx::FunctionProto& function : model.functions()) {
    names.emplace(normalize_domain(function.domain()), function.name());
  }
  return names;
}

std::string describe_operator(const Node& node) {
  return "operator " + printable(node.op_type) + " (domain " + domain_name(node.domain) +
         ", opset " + std::to_string(node.opset) + ")";
}

// Sets the opset and the layer of `node`. kUnsupported or kInvalidModel when there is none.
Status find_operator(const OpsetImports& opsets, const FunctionNames& functions, Node& node) {
  const std::optional<int> opset = opsets.version(node.domain);
  node.opset = opset.value_or(0);
  if (functions.contains({node.domain, node.op_type})) {
    return unsupported("calls " + printable(node.op_type) +
                       ", a function that the model defines itself, which is not supported; "
                       "inline it with onnx.inliner.inline_local_functions");
  }
  // A missing default domain is one problem of the model, not one of each node.
  if (!opset && !node.domain.empty()) {
    return invalid_model("operator " + printable(node.op_type) + " is of domain " +
                         domain_name(node.domain) + ", which opset_import does not name");
  }
  node.layer = find_layer(node.domain, node.op_type);
  if (node.layer == nullptr) {
    return unsupported(describe_operator(node) + " is not supported; `infer ops` lists what is");
  }
  const bool is_usual = node.opset >= kOldestOpset;  // else the model is refused as a whole
  if (is_usual && node.opset < node.layer->first_opset) {
    return unsupported(describe_operator(node) + " is supported from opset " +
                       std::to_string(node.layer->first_opset) +
                       " on; convert the model with "
                       "onnx.version_converter.convert_version(model, 13)");
  }
  return {};
}

std::string describe_origin(const Node& node) { return "node " + quote_name(node.name); }

void add_outputs(const onnx::NodeProto& proto, Node& node, ValueTable& values) {
  for (const std::string& output : proto.output()) {
    node.outputs.push_back(output.empty() ? kNoValue : values.add(output, describe_origin(node)));
  }
}

void resolve_inputs(const onnx::NodeProto& proto, Node& node, const ValueTable& values,
                    Diagnostics& diagnostics) {
  for (const std::string& input : proto.input()) {
    const ValueId id = input.empty() ? kNoValue : values.find(input);
    node.inputs.push_back(id);
    if (!input.empty() && id == kNoValue) {
      diagnostics.add(
          StatusCode::kInvalidModel,
          describe_origin(node) + " reads " + quote_name(input) + ", which nothing produces");
    }
  }
}

}  // namespace

void read_nodes(onnx::ModelProto& model, const OpsetImports& opsets, ExternalFiles& files,
                Graph& graph, ValueTable& values, Diagnostics& diagnostics) {
  onnx::GraphProto& proto = *model.mutable_graph();
  const FunctionNames functions = read_function_names(model);
  const std::vector<std::string> names = name_nodes(proto);
  // Outputs first: a file whose nodes are not in order may read a value before it is produced.
  for (int i = 0; i < proto.node_size(); ++i) {
    Node& node = graph.nodes.emplace_back();
    node.name = names[i];
    node.op_type = proto.node(i).op_type();
    node.domain = normalize_domain(proto.node(i).domain());
    if (!is_valid_utf8(node.name)) {
      diagnostics.add(StatusCode::kInvalidModel,
                      describe_origin(node) + " has a name that is not valid UTF-8");
    }
    add_outputs(proto.node(i), node, values);
  }
  for (int i = 0; i < proto.node_size(); ++i) {
    Node& node = graph.nodes[i];
    const Status status = find_operator(opsets, functions, node);
    diagnostics.add(describe_origin(node), status);
    resolve_inputs(proto.node(i), node, values, diagnostics);
    if (!status.ok()) continue;
    node.attributes =
        read_attributes(*proto.mutable_node(i), describe_origin(node), files, diagnostics);
  }
}

}  // namespace tessera
