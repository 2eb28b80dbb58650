// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "engine/executor/compiled_model.h"

namespace tessera {

// How far one fused group of a model is from the float64 reference, both given the same inputs.
struct StepCheck {
  std::string name;            // ONNX node names joined with '+'
  std::string kernel;          // that ran on the device
  double worst_error = 0;      // |got - expected| of the worst element
  double worst_tolerance = 0;  // what the arithmetic of that element allows
  double worst_ratio = 0;      // error / tolerance; above 1 is a mismatch, infinity for NaN
  std::string worst_element;   // "(0, 3, 5, 5): got 1.25, expected 1.5"
  // Elements that are finite in float64 and infinite in the layer's dtype: how many, which and what
  // to do. Empty when there are none.
  std::string overflow;
  [[nodiscard]] bool ok() const { return worst_ratio <= 1.0 && overflow.empty(); }
};

// Runs the model group by group on `device` and compares each with the float64 reference applied to
// the very inputs the device's kernel got, so that errors do not add up over the network. One pass;
// holds one group's tensors beside the activations. `inputs` as for Session::run.
Result<std::vector<StepCheck>> check_steps(std::shared_ptr<const Model> model,
                                           const OpenDevice& device, std::span<const Tensor> inputs,
                                           const CompileOptions& options = {});

}  // namespace tessera
