// SPDX-License-Identifier: Apache-2.0
#include "tessera/model.h"

#include <utility>

#include "engine/graph/graph.h"
#include "engine/onnx/load.h"

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

}  // namespace

Result<std::shared_ptr<const Model>> Model::load(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(Graph graph, load_onnx(path));
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
