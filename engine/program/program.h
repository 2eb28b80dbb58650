// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "engine/graph/graph.h"
#include "kernels/problem/problem.h"

namespace tessera {

// A tensor of a program.
struct ProgramValue {
  std::string name;
  TensorDesc desc;  // its layout is the one it has in memory
  std::optional<Tensor> constant;
  ValueId alias_of = kNoValue;  // shares the memory of that value, which is no alias itself
};

// One problem to be computed: one kernel launch.
struct Step {
  std::vector<std::string> node_names;  // ONNX nodes that it stands for, in graph order
  std::vector<std::string> op_types;    // their operators; empty for nodes that passes folded
  Problem problem;
  std::vector<ValueId> inputs;  // the problem's operands; kNoValue when absent
  ValueId output = kNoValue;

  [[nodiscard]] std::string name() const;  // node names joined with '+'
};

// A graph lowered to problems: what is left when the operators' meaning has been worked out. Steps
// are in the order of execution. Value ids are those of the graph, new values follow.
struct Program {
  std::vector<ProgramValue> values;
  std::vector<Step> steps;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;

  // The value whose memory `value` uses: itself or what it is an alias of.
  [[nodiscard]] ValueId root(ValueId value) const {
    return values[value].alias_of == kNoValue ? value : values[value].alias_of;
  }
  ValueId add_value(ProgramValue value);
};

// For every value how often its memory is read: by steps, by aliases that are read, and as outputs.
std::vector<int> count_reads(const Program& program);

// Lowers every node. Requires: shapes inferred, dead nodes removed. kUnsupported lists the nodes
// that have no lowering or whose output is not computed at inference.
Result<Program> lower_graph(const Graph& graph);

}  // namespace tessera
