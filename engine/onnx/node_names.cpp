// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/node_names.h"

#include <set>

#include "onnx_schema.pb.h"

namespace tessera {

std::vector<std::string> name_nodes(const onnx::GraphProto& graph) {
  std::set<std::string> taken;
  std::vector<std::string> names(graph.node_size());
  for (int i = 0; i < graph.node_size(); ++i) {
    const std::string& name = graph.node(i).name();
    if (!name.empty() && taken.insert(name).second) names[i] = name;
  }
  // After the names of the file, so that a name that is made up does not take one of them.
  for (int i = 0; i < graph.node_size(); ++i) {
    if (!names[i].empty()) continue;
    const onnx::NodeProto& node = graph.node(i);
    std::string name =
        (node.name().empty() ? node.op_type() : node.name()) + "_" + std::to_string(i);
    while (!taken.insert(name).second) name += "_";
    names[i] = name;
  }
  return names;
}

}  // namespace tessera
