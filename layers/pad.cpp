// SPDX-License-Identifier: Apache-2.0
//
// Pad  output = data with pads[i] elements added before and pads[i + n] after axis i
//
// ONNX: mode constant (default), reflect, edge; from opset 19 on wrap.
//   opset 18: the optional input axes says which axes the pads are for.
//   opset 11: pads and constant_value are inputs.
//   before:   they are attributes, pads and value.
// Only pads that add nothing are taken: exporters leave them where a convolution needed none.
#include <algorithm>

#include "layers/axes.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;
constexpr int kPads = 1;
constexpr int kAxes = 3;

struct PadAttrs {
  std::vector<int64_t> pads;
  int opset = 0;
};

Result<PadAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  PadAttrs attrs;
  attrs.opset = node.opset;
  reader.ignore("mode");  // without padding all modes are the same
  if (node.opset < 11) {
    reader.require("pads");
    attrs.pads = reader.integers("pads");
    reader.ignore("value");
  }
  return attrs;
}

Result<Inputs> check_inputs(const PadAttrs& attrs, std::span<const LayerInput> inputs) {
  if (attrs.opset < 11) return Inputs::check(inputs, {"data"});
  if (attrs.opset < 18) return Inputs::check(inputs, {"data", "pads"}, {"constant_value"});
  return Inputs::check(inputs, {"data", "pads"}, {"constant_value", "axes"});
}

Result<std::vector<TensorDesc>> infer(const PadAttrs& attrs, std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, check_inputs(attrs, inputs));
  std::vector<int64_t> pads = attrs.pads;
  size_t axes = in.shape(kData).rank();
  if (attrs.opset >= 11) {
    TESSERA_ASSIGN_OR_RETURN(pads, in.constant_integers(kPads));
  }
  if (in.has(kAxes)) {
    TESSERA_ASSIGN_OR_RETURN(const auto named, in.constant_integers(kAxes));
    TESSERA_RETURN_IF_ERROR(
        resolve_axes(named, in.shape(kData).rank(), in.describe(kData)).status());
    axes = named.size();
  }
  const std::string text = "pads " + Shape(pads).to_string() + " for " + in.describe(kData);
  if (pads.size() != 2 * axes) {
    return invalid_model(text + ": expected " + std::to_string(2 * axes) + " values");
  }
  if (std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad != 0; })) {
    return unsupported(text +
                       ": there is no kernel that pads; put the pads into the Conv or pool "
                       "that follows");
  }
  return std::vector{in.desc(kData)};
}

Result<Lowering> lower(const PadAttrs& /*attrs*/, std::span<const LayerInput> /*inputs*/,
                       std::span<const TensorDesc> /*outputs*/) {
  return Lowering::alias(kData);
}

}  // namespace

constinit const LayerDef pad_layer =
    make_layer_def<PadAttrs, parse, infer, lower>("Pad", kOldestOpset, "pads of 0 only");

}  // namespace tessera
