// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/value_reader.h"

#include <set>
#include <string>
#include <utility>

#include "engine/graph/printable.h"
#include "engine/onnx/tensor_reader.h"
#include "layers/element_type.h"
#include "onnx_schema.pb.h"

namespace tessera {
namespace {

std::set<std::string, std::less<>> names_that_are_read(const onnx::GraphProto& proto) {
  std::set<std::string, std::less<>> names;
  for (const onnx::NodeProto& node : proto.node()) {
    names.insert(node.input().begin(), node.input().end());
  }
  for (const onnx::ValueInfoProto& output : proto.output()) names.insert(output.name());
  return names;
}

DeclaredDim read_dim(const onnx::TensorShapeProto::Dimension& proto) {
  DeclaredDim dim;
  // Some exporters write -1 where a dimension is open.
  if (proto.has_dim_value() && proto.dim_value() >= 0) {
    dim.extent = proto.dim_value();
  } else if (is_valid_utf8(proto.dim_param())) {
    dim.symbol = proto.dim_param();
  }
  return dim;
}

// Fills in the declared type of `value`. A type that is left out is fine here; one that a Tensor
// cannot have is not.
Status read_declared_type(const onnx::ValueInfoProto& info, Value& value) {
  if (info.has_type() && !info.type().has_tensor_type()) {
    return unsupported(
        "is not declared as a tensor; sequences, maps and optional values are not supported");
  }
  if (!info.has_type()) return {};
  const onnx::TypeProto::Tensor& type = info.type().tensor_type();
  if (type.elem_type() != onnx::TensorProto::UNDEFINED) {
    value.declared_dtype = dtype_from_onnx(type.elem_type());
    if (!value.declared_dtype) {
      return unsupported("element type " + onnx_element_type_name(type.elem_type()) +
                         " is not supported");
    }
  }
  if (type.has_shape()) {
    std::vector<DeclaredDim>& dims = value.declared_shape.emplace();
    for (const onnx::TensorShapeProto::Dimension& dim : type.shape().dim()) {
      dims.push_back(read_dim(dim));
    }
  }
  return {};
}

}  // namespace

void read_initializers(onnx::GraphProto& proto, ExternalFiles& files, Graph& graph,
                       ValueTable& values, Diagnostics& diagnostics) {
  const std::set<std::string, std::less<>> read_names = names_that_are_read(proto);
  for (onnx::TensorProto& initializer : *proto.mutable_initializer()) {
    const std::string where = "initializer " + quote_name(initializer.name());
    const ValueId id = values.add(initializer.name(), where);
    const bool is_known_type = dtype_from_onnx(initializer.data_type()).has_value();
    if (!is_known_type && !read_names.contains(initializer.name())) continue;
    Result<Tensor> tensor = read_tensor(initializer, files);
    if (!tensor.ok()) {
      diagnostics.add(where, tensor.status());
    } else if (id != kNoValue) {
      graph.values[id].desc = tensor->desc();
      graph.values[id].constant = std::move(*tensor);
    }
  }
  for (const onnx::SparseTensorProto& sparse : proto.sparse_initializer()) {
    const std::string& name = sparse.values().name();
    diagnostics.add(StatusCode::kUnsupported,
                    "initializer " + quote_name(name) +
                        " is sparse, which is not supported; store it as a dense tensor");
    if (values.find(name) == kNoValue) values.add(name, "sparse initializer " + quote_name(name));
  }
}

void read_inputs(const onnx::GraphProto& proto, Graph& graph, ValueTable& values,
                 Diagnostics& diagnostics) {
  const auto is_initializer =
      [&, first_input = static_cast<ValueId>(graph.values.size())](const std::string& name) {
        const ValueId id = values.find(name);
        return id != kNoValue && id < first_input;
      };
  for (const onnx::ValueInfoProto& info : proto.input()) {
    if (is_initializer(info.name())) continue;
    const std::string where = "graph input " + quote_name(info.name());
    const ValueId id = values.add(info.name(), where);
    if (id == kNoValue) continue;
    graph.inputs.push_back(id);
    const Status status = read_declared_type(info, graph.values[id]);
    diagnostics.add(where, status);
    if (status.ok() && !graph.values[id].declared_dtype) {
      diagnostics.add(StatusCode::kInvalidModel, where + " declares no element type");
    }
  }
}

void read_outputs(const onnx::GraphProto& proto, Graph& graph, const ValueTable& values,
                  Diagnostics& diagnostics) {
  if (proto.output_size() == 0) {
    diagnostics.add(StatusCode::kInvalidModel, "the graph has no outputs");
  }
  for (const onnx::ValueInfoProto& info : proto.output()) {
    const std::string where = "graph output " + quote_name(info.name());
    const ValueId id = values.find(info.name());
    if (id == kNoValue) {
      diagnostics.add(StatusCode::kInvalidModel, where + " is something that nothing produces");
      continue;
    }
    graph.outputs.push_back(id);
    Value& value = graph.values[id];
    if (!value.declared_dtype) diagnostics.add(where, read_declared_type(info, value));
  }
  // What value_info says is a hint only, so a type in it that cannot be read is left out.
  for (const onnx::ValueInfoProto& info : proto.value_info()) {
    const ValueId id = values.find(info.name());
    if (id == kNoValue || graph.values[id].declared_dtype) continue;
    Value declared;
    if (!read_declared_type(info, declared).ok()) continue;
    graph.values[id].declared_dtype = declared.declared_dtype;
    graph.values[id].declared_shape = declared.declared_shape;
  }
}

}  // namespace tessera
