// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/passes/passes.h"

namespace tessera {

Result<PassLog> remove_dead_nodes(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (const ValueId output : graph.outputs) needed[output] = true;
  PassLog log;
  std::vector<Node> kept;
  // Backwards, so that one sweep finds whole dead branches.
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    // A node whose needed outputs are all constants has done its work.
    const bool live = std::any_of(node->outputs.begin(), node->outputs.end(), [&](ValueId output) {
      return output != kNoValue && needed[output] && !graph.values[output].constant;
    });
    if (!live) {
      log.push_back("removed dead " + node->name);
      continue;
    }
    for (const ValueId input : node->inputs) {
      if (input != kNoValue) needed[input] = true;
    }
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  std::reverse(log.begin(), log.end());
  graph.nodes = std::move(kept);
  return log;
}

}  // namespace tessera
