// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"
#include "engine/executor/step_check.h"
#include "tools/infer/options.h"

namespace tessera::cli {

struct CheckOptions {
  std::string path;
  ExecutionOptions execution;
  ShapeOptions shapes;
  double rtol = 1e-3;
  double atol = 1e-5;
  bool json = false;
};

// A golden picture of the model card and whether the model gives the answer that the card states.
struct GoldenCheck {
  std::string image;
  bool ok = false;
  std::string detail;  // what differs; empty when ok
};

struct ModelCheck {
  std::string device;
  std::vector<std::string> notes;  // what was assumed about the inputs
  std::vector<StepCheck> steps;
  std::vector<GoldenCheck> goldens;
  [[nodiscard]] bool ok() const;
};

// Every fused group on random input (seeded) against the float64 reference, then the goldens.
Result<ModelCheck> check_model(const CheckOptions& options);

}  // namespace tessera::cli
