// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/executor/compiled_model.h"
#include "engine/graph/graph.h"
#include "engine/program/kernel_choice.h"
#include "engine/program/program.h"
#include "kernels/kernel.h"

namespace tessera {

// A program with the kernel of each step: what the front half of compilation gives.
struct KernelProgram {
  Program program;
  std::vector<KernelChoice> choices;  // one per step
  std::string precision;              // PrecisionOptions::to_string()
  int64_t batch = 1;                  // the first extent of the first input
  std::vector<std::string> passes;    // what was done, one line each
};

// Passes, lowering, fusion and kernel choice, for a copy of `graph` with these input shapes.
Result<KernelProgram> build_program(Graph graph, const OpenDevice& device,
                                    std::span<const Shape> input_shapes,
                                    const CompileOptions& options);

// The memory of all values that are not constants, and of the workspaces. Life times: an input from
// the start to the end (so that a run can be repeated), any other value from the step that writes
// it to its last reader, an output to the end, a workspace during its step.
struct ProgramMemory {
  std::vector<size_t> value_offset_bytes;      // by ValueId of a root; kNotPlanned for others
  std::vector<size_t> workspace_offset_bytes;  // by step
  size_t arena_bytes = 0;
  size_t unplanned_bytes = 0;
  static constexpr size_t kNotPlanned = static_cast<size_t>(-1);
};
Result<ProgramMemory> plan_program_memory(const Program& program,
                                          std::span<const size_t> workspace_bytes);

}  // namespace tessera
