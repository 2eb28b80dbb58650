// SPDX-License-Identifier: Apache-2.0
//
// Clip  output = min(max(input, min), max)
//
// ONNX: min and max default to the lowest and the largest finite value; max wins when they cross.
//   opset 11: min and max are optional inputs.
//   before:   they are attributes.
#include <limits>

#include "kernels/problem/elementwise.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kInput = 0;
constexpr int kMin = 1;
constexpr int kMax = 2;

struct ClipAttrs {
  float min = std::numeric_limits<float>::lowest();
  float max = std::numeric_limits<float>::max();
  bool bounds_are_inputs = false;
};

Result<ClipAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  ClipAttrs attrs;
  attrs.bounds_are_inputs = node.opset >= 11;
  if (!attrs.bounds_are_inputs) {
    attrs.min = reader.real("min", attrs.min);
    attrs.max = reader.real("max", attrs.max);
  }
  return attrs;
}

Result<std::vector<TensorDesc>> infer(const ClipAttrs& attrs, std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, attrs.bounds_are_inputs
                                                ? Inputs::check(inputs, {"input"}, {"min", "max"})
                                                : Inputs::check(inputs, {"input"}));
  TESSERA_RETURN_IF_ERROR(in.expect_float32());
  for (const int bound : {kMin, kMax}) {
    if (in.has(bound)) TESSERA_RETURN_IF_ERROR(in.constant_scalar(bound).status());
  }
  return std::vector{in.desc(kInput)};
}

// The value of an optional bound that infer has checked.
float bound_or(std::span<const LayerInput> inputs, size_t index, float default_value) {
  if (index >= inputs.size() || !inputs[index].present) return default_value;
  return inputs[index].constant->values<float>()[0];
}

Result<Lowering> lower(const ClipAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  UnaryProblem problem;
  problem.dtype = inputs[kInput].desc.dtype;
  problem.count = inputs[kInput].desc.num_elements();
  problem.activation = {ActivationKind::kClip, bound_or(inputs, kMin, attrs.min),
                        bound_or(inputs, kMax, attrs.max)};
  return Lowering::compute(problem, {kInput});
}

}  // namespace

constinit const LayerDef clip_layer = make_layer_def<ClipAttrs, parse, infer, lower>(
    "Clip", kOldestOpset, "min and max must be constants");

}  // namespace tessera
