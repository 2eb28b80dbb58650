// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/onnx/diagnostics.h"

namespace tessera {

// Gives the values of a graph their indices while the graph is read. A name belongs to one value,
// and each value comes from one place.
class ValueTable {
 public:
  ValueTable(Graph& graph, Diagnostics& diagnostics) : graph_(graph), diagnostics_(diagnostics) {}

  // Adds the value `name`, which comes from `origin` ("node 'a'", "a graph input"). Reports a name
  // that is empty, not UTF-8 or taken, and gives kNoValue then.
  ValueId add(const std::string& name, const std::string& origin);

  // kNoValue when there is no value of that name.
  [[nodiscard]] ValueId find(std::string_view name) const;

 private:
  Graph& graph_;
  Diagnostics& diagnostics_;
  std::map<std::string, ValueId, std::less<>> ids_;
  std::vector<std::string> origins_;  // by ValueId
};

}  // namespace tessera
