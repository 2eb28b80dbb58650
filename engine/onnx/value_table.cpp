// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/value_table.h"

#include "engine/graph/printable.h"

namespace tessera {

ValueId ValueTable::add(const std::string& name, const std::string& origin) {
  if (name.empty() || !is_valid_utf8(name)) {
    diagnostics_.add(StatusCode::kInvalidModel,
                     origin + (name.empty() ? " has no name"
                                            : " has the name " + quote_name(name) +
                                                  ", which is not valid UTF-8"));
    return kNoValue;
  }
  const auto id = static_cast<ValueId>(graph_.values.size());
  const auto [entry, is_new] = ids_.emplace(name, id);
  if (!is_new) {
    diagnostics_.add(StatusCode::kInvalidModel,
                     "value " + quote_name(name) +
                         " comes from two places: " + origins_[entry->second] + " and " + origin);
    return kNoValue;
  }
  graph_.values.emplace_back().name = name;
  origins_.push_back(origin);
  return id;
}

ValueId ValueTable::find(std::string_view name) const {
  const auto entry = ids_.find(name);
  return entry == ids_.end() ? kNoValue : entry->second;
}

}  // namespace tessera
