// SPDX-License-Identifier: Apache-2.0
#include "engine/model/input_shapes.h"

#include <set>
#include <utility>

#include "core/tensor.h"
#include "engine/graph/graph.h"
#include "engine/graph/printable.h"

namespace tessera {
namespace {

using Extents = std::map<std::string, int64_t>;

// What --shapes calls an open dimension: its symbol, or "input:axis".
std::string key_of(const ValueInfo& input, size_t axis) {
  const std::string& symbol = input.symbols[axis];
  return symbol.empty() ? input.name + ":" + std::to_string(axis) : symbol;
}

bool is_open(const ValueInfo& input, size_t axis) { return input.extents[axis] < 0; }

std::set<std::string> open_keys(const Model& model) {
  std::set<std::string> keys;
  for (const ValueInfo& input : model.inputs()) {
    for (size_t axis = 0; axis < input.extents.size(); ++axis) {
      if (is_open(input, axis)) keys.insert(key_of(input, axis));
    }
  }
  return keys;
}

Status check_request(const Model& model, int64_t batch, const Extents& symbols) {
  if (batch < 0) return invalid_argument("a batch of " + std::to_string(batch) + " is negative");
  const std::set<std::string> keys = open_keys(model);
  for (const auto& [key, extent] : symbols) {
    if (!keys.contains(key)) {
      std::string known;
      for (const std::string& name : keys) known += (known.empty() ? "" : ", ") + quote_name(name);
      return invalid_argument("the model has no open dimension " + quote_name(key) +
                              (known.empty() ? "; all its dimensions are fixed"
                                             : "; its open dimensions are " + known));
    }
    if (extent < 0) {
      return invalid_argument("extent " + std::to_string(extent) + " for dimension " +
                              quote_name(key) + " is negative");
    }
  }
  for (const ValueId id : model.graph().inputs) {
    const Value& value = model.graph().values[id];
    if (!value.declared_shape) {
      return unsupported("input " + quote_name(value.name) +
                         " declares no shape, not even how many dimensions it has; export the "
                         "model with the shapes of its inputs");
    }
  }
  return {};
}

// The extent of every open dimension, by key.
Extents resolve_open_dimensions(const Model& model, int64_t batch, const Extents& symbols,
                                InputShapes& resolved) {
  Extents extents = symbols;
  for (const ValueInfo& input : model.inputs()) {
    if (!input.extents.empty() && is_open(input, 0)) extents.emplace(key_of(input, 0), batch);
  }
  for (const ValueInfo& input : model.inputs()) {
    for (size_t axis = 0; axis < input.extents.size(); ++axis) {
      if (!is_open(input, axis)) continue;
      const std::string key = key_of(input, axis);
      if (!extents.emplace(key, 1).second) continue;
      resolved.guessed.push_back(key);
      resolved.notes.push_back((input.symbols[axis].empty() ? "open dimension " : "symbol ") +
                               quote_name(key) +
                               " is not given: taken as 1 (set it with --shapes)");
    }
  }
  return extents;
}

}  // namespace

Result<InputShapes> resolve_input_shapes(const Model& model, int64_t batch,
                                         const std::map<std::string, int64_t>& symbols) {
  TESSERA_RETURN_IF_ERROR(check_request(model, batch, symbols));
  InputShapes resolved;
  const bool has_batch = !model.inputs().empty() && !model.inputs()[0].extents.empty();
  resolved.batch_is_fixed = !has_batch || !is_open(model.inputs()[0], 0);
  // Where the first input has a fixed batch, the open ones of other inputs follow it.
  if (resolved.batch_is_fixed) batch = has_batch ? model.inputs()[0].extents[0] : 1;

  const Extents open = resolve_open_dimensions(model, batch, symbols, resolved);
  for (const ValueInfo& input : model.inputs()) {
    Shape shape(input.extents);
    for (size_t axis = 0; axis < shape.rank(); ++axis) {
      if (is_open(input, axis)) shape[axis] = open.at(key_of(input, axis));
    }
    if (const Status size = TensorDesc{input.dtype, shape}.validate(); !size.ok()) {
      return size.with_context("input " + quote_name(input.name));
    }
    resolved.shapes.push_back(std::move(shape));
  }
  resolved.batch = has_batch ? resolved.shapes[0][0] : 1;
  return resolved;
}

}  // namespace tessera
