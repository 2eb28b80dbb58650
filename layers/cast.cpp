// SPDX-License-Identifier: Apache-2.0
//
// Cast  output = input converted to the element type `to`
//
// ONNX: saturate (opset 19) and round_mode (opset 24) speak only of conversions to 8-bit floats,
// which do not exist here, so they are read over. Later opsets only added element types.
#include "kernels/problem/elementwise.h"
#include "layers/element_type.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kInput = 0;

struct CastAttrs {
  DType to = DType::kF32;
};

Result<CastAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  reader.require("to");
  if (node.opset >= 19) reader.ignore("saturate");
  if (node.opset >= 24) reader.ignore("round_mode");
  constexpr int64_t kFloat = 1;
  const int64_t code = reader.integer("to", kFloat);
  const auto dtype = dtype_from_onnx(code);
  if (!dtype)
    return unsupported("casting to " + onnx_element_type_name(code) +
                       ": no such element type here");
  return CastAttrs{*dtype};
}

Result<std::vector<TensorDesc>> infer(const CastAttrs& attrs, std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"input"}));
  return std::vector{TensorDesc{attrs.to, in.shape(kInput)}};
}

Result<Lowering> lower(const CastAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  const TensorDesc& src = inputs[kInput].desc;
  if (src.dtype == attrs.to) return Lowering::alias(kInput);
  CastProblem problem;
  problem.from = src.dtype;
  problem.to = attrs.to;
  problem.count = src.num_elements();
  return Lowering::compute(problem, {kInput});
}

}  // namespace

constinit const LayerDef cast_layer = make_layer_def<CastAttrs, parse, infer, lower>(
    "Cast", kOldestOpset, "no strings, no types below 8 bits, no 8-bit floats");

}  // namespace tessera
