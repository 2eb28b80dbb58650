// SPDX-License-Identifier: Apache-2.0
#include "tessera/model.h"

#include <optional>
#include <utility>

#include "core/one_line.h"
#include "engine/graph/graph.h"
#include "engine/onnx/load.h"
#include "engine/passes/passes.h"

namespace tessera {
namespace {

ValueInfo describe_value(const Value& value) {
  ValueInfo info;
  info.name = value.name;
  if (value.desc) {  // a constant that is an output
    info.dtype = value.desc->dtype;
    info.extents = value.desc->shape.extents();
    info.symbols.resize(info.extents.size());
    return info;
  }
  if (value.declared_dtype) info.dtype = *value.declared_dtype;
  if (value.declared_shape) {
    for (const DeclaredDim& dim : *value.declared_shape) {
      info.extents.push_back(dim.extent);
      info.symbols.push_back(dim.symbol);
    }
  }
  return info;
}

std::vector<ValueInfo> describe_values(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<ValueInfo> infos;
  infos.reserve(ids.size());
  for (const ValueId id : ids) infos.push_back(describe_value(graph.values[id]));
  return infos;
}

// The shapes of all inputs, when the model leaves nothing open.
std::optional<std::vector<Shape>> fixed_input_shapes(const Graph& graph) {
  std::vector<Shape> shapes;
  for (const ValueId input : graph.inputs) {
    const auto& declared = graph.values[input].declared_shape;
    if (!declared) return std::nullopt;
    std::vector<int64_t> extents;
    for (const DeclaredDim& dim : *declared) {
      if (dim.extent < 0) return std::nullopt;
      extents.push_back(dim.extent);
    }
    shapes.emplace_back(std::move(extents));
  }
  return shapes;
}

// With every extent known, a model that contradicts itself is found before anything is done with
// it. (With open extents that has to wait: the right ones may come with the data.)
Status check_shapes(Graph graph) {
  const auto shapes = fixed_input_shapes(graph);
  return shapes ? infer_shapes_and_fold(graph, *shapes).status() : Status();
}

// Each line of the message begins with the path, as the loader's own do.
Status with_path(const Status& status, const std::string& path) {
  const std::string place = in_one_line(path) + ": ";
  std::string message = place;
  for (const char character : status.message()) {
    message += character;
    if (character == '\n') message += place;
  }
  return {status.code(), message};
}

}  // namespace

Result<std::shared_ptr<const Model>> Model::load(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(Graph graph, load_onnx(path));
  if (const Status shapes = check_shapes(graph); !shapes.ok()) return with_path(shapes, path);
  return std::make_shared<const Model>(std::move(graph), path);
}

Model::Model(Graph graph, std::string path)
    : path_(std::move(path)),
      graph_(std::make_unique<Graph>(std::move(graph))),
      inputs_(describe_values(*graph_, graph_->inputs)),
      outputs_(describe_values(*graph_, graph_->outputs)) {}

Model::~Model() = default;

const std::map<std::string, std::string>& Model::metadata() const { return graph_->metadata; }

}  // namespace tessera
