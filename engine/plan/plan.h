// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "engine/plan/device_key.h"

namespace tessera {

// What is known about a kernel that was chosen, from measurements.
struct ChoiceEvidence {
  std::optional<double> microseconds;  // median, caches cold
  std::optional<double> error;         // largest |error| / tolerance against float64
  std::string runner_up;               // the next best kernel, empty when there is none
  std::optional<double> runner_up_microseconds;
};

// "12.3 us, runner-up gemm_naive 15.0 us"; empty when nothing was measured.
std::string to_string(const ChoiceEvidence& evidence);

// The kernel of one layer.
struct PlanEntry {
  std::string layer;    // ONNX node names joined with '+'
  std::string problem;  // choice_key() of its problem
  std::string kernel;
  ChoiceEvidence evidence;
};

// The kernels of a model's layers, for one device, batch and precision.
struct Plan {
  std::string path;  // where it was read from, for messages
  DeviceKey device;
  int64_t batch = 0;
  std::string precision;
  std::vector<PlanEntry> layers;

  // Null when there is no entry for the layer, or it is for another problem.
  [[nodiscard]] const PlanEntry* find(std::string_view layer, std::string_view problem) const;
  // Why the plan cannot be used at all: "is for batch 8, this network has 1". Empty when it can.
  [[nodiscard]] std::string mismatch(const DeviceKey& here, int64_t batch_here,
                                     const std::string& precision_here) const;
};

// kNotFound when the file cannot be read, kInvalidArgument when it is no plan.
Result<Plan> load_plan(const std::string& path);

// Writes the plan as JSON (docs/cli.md): beside the target first, then in its place, so that there
// is a whole file at any time. kNotFound or kIo names the file.
Status save_plan(const Plan& plan, const std::string& path);

}  // namespace tessera
