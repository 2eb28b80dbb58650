// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/status.h"
#include "engine/program/kernel_choice.h"
#include "engine/program/program.h"

namespace tessera {

// What a layer whose model says float32 computes in. Sums are float32 or wider in all of them.
enum class Precision : uint8_t {
  kFloat32,
  kTf32,      // stored as float32; GEMM and convolution may round their factors to TF32
  kFloat16,   // weights and activations stored as float16
  kBFloat16,  // the same as bfloat16
};

// "float32", "tf32", "float16", "bfloat16".
const char* precision_name(Precision precision);
// From "fp32", "tf32", "fp16" or "bf16".
std::optional<Precision> parse_precision(std::string_view name);

struct PrecisionOptions {
  Precision model = Precision::kFloat32;
  // (pattern, precision): the first pattern that matches a layer's node name or operator counts,
  // and comes before `model`. A fused group is matched by each of its nodes.
  std::vector<std::pair<std::string, Precision>> layers = {};
  // A layer that no kernel can run in its precision runs in float32, instead of being an error.
  bool allow_fallback = false;

  // "float16", "float32, conv*:float16": for the header line and as part of a plan's key.
  [[nodiscard]] std::string to_string() const;
};

// Gives every float32 step its precision: its problem, its constants (converted once, here) and its
// result. Where two dtypes meet a cast is inserted, once for each value and dtype; a Cast of the
// model itself reads what is there and goes when nothing is left to convert. Inputs and outputs of
// the model keep their dtypes. kUnsupported lists all layers that no kernel can run in their
// precision, with reasons; with allow_fallback `tell` gets a sentence for each instead.
// kInvalidArgument for a pattern that matches no layer.
Status apply_precision(Program& program, const PrecisionOptions& options,
                       const KernelChooser& chooser,
                       const std::function<void(const std::string&)>& tell);

}  // namespace tessera
