// SPDX-License-Identifier: Apache-2.0
//
// Shape  shape = the extents of data from axis `start` to before axis `end`, int64
//
// ONNX: start and end since opset 15; they count from the end when negative and are clamped.
// Shapes are known before the first run, so the result is a constant.
#include <algorithm>
#include <limits>

#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;

struct ShapeAttrs {
  int64_t start = 0;
  int64_t end = std::numeric_limits<int64_t>::max();
};

Result<ShapeAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  ShapeAttrs attrs;
  if (node.opset >= 15) {
    attrs.start = reader.integer("start", attrs.start);
    attrs.end = reader.integer("end", attrs.end);
  }
  return attrs;
}

std::vector<int64_t> selected_extents(const ShapeAttrs& attrs, const Shape& shape) {
  const auto rank = static_cast<int64_t>(shape.rank());
  const auto clamp = [rank](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const int64_t start = clamp(attrs.start);
  const int64_t end = std::max(start, clamp(attrs.end));
  return {shape.extents().begin() + start, shape.extents().begin() + end};
}

Result<std::vector<TensorDesc>> infer(const ShapeAttrs& attrs, std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"data"}));
  const auto extents = selected_extents(attrs, in.shape(kData));
  return std::vector{TensorDesc{DType::kI64, {static_cast<int64_t>(extents.size())}}};
}

Result<Lowering> lower(const ShapeAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> outputs) {
  const std::vector<int64_t> extents = selected_extents(attrs, inputs[kData].desc.shape);
  return Lowering::constant(Tensor::from_values<int64_t>(outputs[0].shape, extents));
}

}  // namespace

constinit const LayerDef shape_layer = make_layer_def<ShapeAttrs, parse, infer, lower>("Shape");

}  // namespace tessera
