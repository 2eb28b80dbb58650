// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph.h"

#include <cstddef>
#include <functional>
#include <queue>
#include <utility>

#include "core/check.h"
#include "engine/graph/printable.h"

namespace tessera {
namespace {

constexpr size_t kMaxNamesOfCycle = 12;

// For every node the nodes that read its outputs, one entry for each input that does.
std::vector<std::vector<int>> find_readers(const Graph& graph, const std::vector<int>& producers) {
  std::vector<std::vector<int>> readers(graph.nodes.size());
  for (size_t reader = 0; reader < graph.nodes.size(); ++reader) {
    for (const ValueId input : graph.nodes[reader].inputs) {
      if (input == kNoValue || producers[input] < 0) continue;
      readers[producers[input]].push_back(static_cast<int>(reader));
    }
  }
  return readers;
}

// The message for a graph of which `waiting` nodes can never run: each of them waits for another
// one, so walking from producer to producer comes back to where it was.
Status cycle_error(const Graph& graph, const std::vector<int>& producers,
                   const std::vector<int>& waiting_inputs) {
  int current = 0;
  while (waiting_inputs[current] == 0) ++current;
  const auto waits_for = [&](int node) {
    for (const ValueId input : graph.nodes[node].inputs) {
      if (input == kNoValue || producers[input] < 0) continue;
      if (waiting_inputs[producers[input]] > 0) return producers[input];
    }
    TESSERA_CHECK(false);
  };
  std::vector<bool> seen(graph.nodes.size(), false);
  for (; !seen[current]; current = waits_for(current)) seen[current] = true;

  std::string names = quote_name(graph.nodes[current].name);
  size_t count = 1;
  for (int node = waits_for(current); node != current; node = waits_for(node), ++count) {
    if (count < kMaxNamesOfCycle) names.insert(0, quote_name(graph.nodes[node].name) + " -> ");
  }
  if (count > kMaxNamesOfCycle) names.insert(0, "... -> ");
  return invalid_model("the graph has a cycle of " + std::to_string(count) +
                       (count == 1 ? " node: " : " nodes: ") +
                       quote_name(graph.nodes[current].name) + " -> " + names);
}

}  // namespace

std::vector<int> count_uses(const Graph& graph) {
  std::vector<int> uses(graph.values.size(), 0);
  for (const Node& node : graph.nodes) {
    for (const ValueId input : node.inputs) {
      if (input != kNoValue) ++uses[input];
    }
  }
  for (const ValueId output : graph.outputs) ++uses[output];
  return uses;
}

std::vector<int> find_producers(const Graph& graph) {
  std::vector<int> producers(graph.values.size(), -1);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId output : graph.nodes[i].outputs) {
      if (output != kNoValue) producers[output] = static_cast<int>(i);
    }
  }
  return producers;
}

// Kahn's algorithm (Communications of the ACM 5(11), 1962). Of the nodes that are ready the one
// that comes first in the file is taken, which makes it stable.
Status sort_topologically(Graph& graph) {
  const std::vector<int> producers = find_producers(graph);
  const std::vector<std::vector<int>> readers = find_readers(graph, producers);
  std::vector<int> waiting_inputs(graph.nodes.size(), 0);
  for (const std::vector<int>& of_node : readers) {
    for (const int reader : of_node) ++waiting_inputs[reader];
  }

  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (waiting_inputs[i] == 0) ready.push(static_cast<int>(i));
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const int reader : readers[node]) {
      if (--waiting_inputs[reader] == 0) ready.push(reader);
    }
  }
  if (order.size() < graph.nodes.size()) return cycle_error(graph, producers, waiting_inputs);

  std::vector<Node> sorted;
  sorted.reserve(order.size());
  for (const int node : order) sorted.push_back(std::move(graph.nodes[node]));
  graph.nodes = std::move(sorted);
  return {};
}

std::vector<LayerInput> layer_inputs(const Graph& graph, const Node& node) {
  std::vector<LayerInput> inputs(node.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (node.inputs[i] == kNoValue) continue;
    const Value& value = graph.values[node.inputs[i]];
    TESSERA_CHECK(value.desc.has_value());
    inputs[i].present = true;
    inputs[i].desc = *value.desc;
    inputs[i].constant = value.constant ? &*value.constant : nullptr;
  }
  return inputs;
}

LayerNode layer_node(const Node& node) {
  size_t num_outputs = node.outputs.size();
  while (num_outputs > 0 && node.outputs[num_outputs - 1] == kNoValue) --num_outputs;
  return {node.op_type, node.opset, num_outputs, node.attributes};
}

std::string describe(const Node& node) {
  return printable(node.op_type) + " " + quote_name(node.name) + " (opset " +
         std::to_string(node.opset) + ")";
}

}  // namespace tessera
