// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/executor/compile.h"
#include "engine/executor/constant_store.h"

namespace tessera {

// What a CompiledModel shares with its contexts.
struct CompiledModel::Impl {
  std::shared_ptr<const Model> model;  // keeps mapped weights alive
  OpenDevice device;
  bool use_graph = false;
  Program program;
  std::vector<std::unique_ptr<Kernel>> kernels;                  // by step
  std::vector<std::vector<bool>> packed;                         // by step and operand
  std::vector<std::shared_ptr<const DeviceConstant>> constants;  // by ValueId, null elsewhere
  ProgramMemory memory;
  std::vector<TensorDesc> inputs;
  std::vector<TensorDesc> outputs;
  PlanReport report;
};

}  // namespace tessera
