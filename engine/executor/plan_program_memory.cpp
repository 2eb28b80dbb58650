// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/math.h"
#include "engine/executor/compile.h"
#include "engine/memory/planner.h"

namespace tessera {
namespace {

// A block of the arena and whose it is: a value or, when that is kNoValue, a step's workspace.
struct Block {
  ValueId value = kNoValue;
  size_t step = 0;
  LifeTime life;
};

// The life time of every root value that is not a constant, by ValueId; unset for the others.
std::vector<std::optional<LifeTime>> value_life_times(const Program& program) {
  std::vector<std::optional<LifeTime>> lives(program.values.size());
  const int last_step = static_cast<int>(program.steps.size());
  const auto open = [&](ValueId value, int step) {
    lives[value] = LifeTime{step, step, program.values[value].desc.size_bytes()};
  };
  const auto extend = [&](ValueId value, int step) {
    auto& life = lives[program.root(value)];
    if (life) life->last_step = std::max(life->last_step, step);
  };
  for (const ValueId input : program.inputs) {
    open(input, 0);
    extend(input, last_step);
  }
  for (int i = 0; i < last_step; ++i) {
    const Step& step = program.steps[i];
    open(step.output, i);
    for (const ValueId input : step.inputs) {
      if (input != kNoValue) extend(input, i);
    }
  }
  for (const ValueId output : program.outputs) extend(output, last_step);
  return lives;
}

}  // namespace

Result<ProgramMemory> plan_program_memory(const Program& program,
                                          std::span<const size_t> workspace_bytes) {
  std::vector<Block> blocks;
  const std::vector<std::optional<LifeTime>> lives = value_life_times(program);
  for (size_t value = 0; value < lives.size(); ++value) {
    if (lives[value]) blocks.push_back({static_cast<ValueId>(value), 0, *lives[value]});
  }
  for (size_t step = 0; step < workspace_bytes.size(); ++step) {
    const int at = static_cast<int>(step);
    if (workspace_bytes[step] > 0) {
      blocks.push_back({kNoValue, step, {at, at, workspace_bytes[step]}});
    }
  }
  std::vector<LifeTime> life_times;
  for (const Block& block : blocks) life_times.push_back(block.life);
  TESSERA_ASSIGN_OR_RETURN(const MemoryPlan plan, plan_memory(life_times));

  ProgramMemory memory;
  memory.value_offset_bytes.assign(program.values.size(), ProgramMemory::kNotPlanned);
  memory.workspace_offset_bytes.assign(program.steps.size(), ProgramMemory::kNotPlanned);
  memory.arena_bytes = plan.arena_bytes;
  for (size_t i = 0; i < blocks.size(); ++i) {
    memory.unplanned_bytes += round_up(blocks[i].life.size_bytes, kArenaAlignment);
    if (blocks[i].value != kNoValue) {
      memory.value_offset_bytes[blocks[i].value] = plan.offset_bytes[i];
    } else {
      memory.workspace_offset_bytes[blocks[i].step] = plan.offset_bytes[i];
    }
  }
  return memory;
}

}  // namespace tessera
