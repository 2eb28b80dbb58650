// SPDX-License-Identifier: Apache-2.0
//
// Squeeze    squeezed = data without the axes `axes` of extent 1, by default all of them
// Unsqueeze  expanded = data with axes of extent 1 put in, so that they are `axes` of the result
//
// ONNX:
//   opset 13: axes is an input.
//   before:   it is an attribute; opset 11 allows negative axes.
#include "layers/axes.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;
constexpr int kAxes = 1;

struct SqueezeAttrs {
  std::vector<int64_t> axes;
  bool has_axes = false;
  bool axes_are_input = false;
};

Result<SqueezeAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  SqueezeAttrs attrs;
  attrs.axes_are_input = node.opset >= 13;
  if (attrs.axes_are_input) return attrs;
  attrs.axes = reader.integers("axes");
  attrs.has_axes = reader.has("axes");
  if (node.opset < 11) TESSERA_RETURN_IF_ERROR(expect_non_negative_axes(attrs.axes));
  return attrs;
}

Result<SqueezeAttrs> parse_unsqueeze(AttributeReader& reader, const LayerNode& node) {
  if (node.opset < 13) reader.require("axes");
  return parse(reader, node);
}

// The axes as they are given, wherever they are.
Result<std::vector<int64_t>> requested_axes(const SqueezeAttrs& attrs, const Inputs& in) {
  return attrs.axes_are_input ? in.constant_integers(kAxes) : attrs.axes;
}

Result<std::vector<size_t>> axes_to_squeeze(const SqueezeAttrs& attrs, const Inputs& in) {
  const Shape& shape = in.shape(kData);
  std::vector<size_t> axes;
  if (!attrs.has_axes && !in.has(kAxes)) {
    for (size_t axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == 1) axes.push_back(axis);
    }
    return axes;
  }
  TESSERA_ASSIGN_OR_RETURN(const auto requested, requested_axes(attrs, in));
  TESSERA_ASSIGN_OR_RETURN(axes, resolve_axes(requested, shape.rank(), in.describe(kData)));
  for (const size_t axis : axes) {
    if (shape[axis] != 1) {
      return invalid_model(in.describe(kData) + ": axis " + std::to_string(axis) +
                           " cannot be squeezed, its extent is " + std::to_string(shape[axis]));
    }
  }
  return axes;
}

Result<std::vector<TensorDesc>> infer_squeeze(const SqueezeAttrs& attrs,
                                              std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, attrs.axes_are_input
                                                ? Inputs::check(inputs, {"data"}, {"axes"})
                                                : Inputs::check(inputs, {"data"}));
  TESSERA_ASSIGN_OR_RETURN(const auto axes, axes_to_squeeze(attrs, in));
  std::vector<int64_t> extents = in.shape(kData).extents();
  for (size_t i = axes.size(); i-- > 0;) {
    extents.erase(extents.begin() + static_cast<int64_t>(axes[i]));
  }
  return std::vector{TensorDesc{in.desc(kData).dtype, Shape(std::move(extents))}};
}

Result<std::vector<TensorDesc>> infer_unsqueeze(const SqueezeAttrs& attrs,
                                                std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, attrs.axes_are_input
                                                ? Inputs::check(inputs, {"data", "axes"})
                                                : Inputs::check(inputs, {"data"}));
  TESSERA_ASSIGN_OR_RETURN(const auto requested, requested_axes(attrs, in));
  std::vector<int64_t> extents = in.shape(kData).extents();
  const size_t rank = extents.size() + requested.size();
  TESSERA_ASSIGN_OR_RETURN(
      const auto axes,
      resolve_axes(requested, rank, "the result of unsqueezing " + in.describe(kData)));
  for (const size_t axis : axes) extents.insert(extents.begin() + static_cast<int64_t>(axis), 1);
  return std::vector{TensorDesc{in.desc(kData).dtype, Shape(std::move(extents))}};
}

Result<Lowering> lower(const SqueezeAttrs& /*attrs*/, std::span<const LayerInput> /*inputs*/,
                       std::span<const TensorDesc> /*outputs*/) {
  return Lowering::alias(kData);
}

}  // namespace

constinit const LayerDef squeeze_layer = make_layer_def<SqueezeAttrs, parse, infer_squeeze, lower>(
    "Squeeze", kOldestOpset, "axes must be constants");
constinit const LayerDef unsqueeze_layer =
    make_layer_def<SqueezeAttrs, parse_unsqueeze, infer_unsqueeze, lower>("Unsqueeze", kOldestOpset,
                                                                          "axes must be constants");

}  // namespace tessera
