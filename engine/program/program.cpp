// SPDX-License-Identifier: Apache-2.0
#include "engine/program/program.h"

namespace tessera {

std::string Step::name() const {
  std::string joined;
  for (const std::string& node_name : node_names) {
    joined += (joined.empty() ? "" : "+") + node_name;
  }
  return joined;
}

ValueId Program::add_value(ProgramValue value) {
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size() - 1);
}

std::vector<int> count_reads(const Program& program) {
  std::vector<int> reads(program.values.size(), 0);
  for (const Step& step : program.steps) {
    for (const ValueId input : step.inputs) {
      if (input != kNoValue) ++reads[program.root(input)];
    }
  }
  for (const ValueId output : program.outputs) ++reads[program.root(output)];
  return reads;
}

}  // namespace tessera
