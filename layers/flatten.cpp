// SPDX-License-Identifier: Apache-2.0
//
// Flatten  output = input as a matrix: the axes before `axis` are its rows, the others its columns
//
// ONNX: axis is 1 by default and may be 0 or the rank. Opset 11 allows a negative axis.
#include "layers/axes.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kInput = 0;

struct FlattenAttrs {
  int64_t axis = 1;
};

Result<FlattenAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  const FlattenAttrs attrs = {reader.integer("axis", 1)};
  if (node.opset < 11) TESSERA_RETURN_IF_ERROR(expect_non_negative_axes({attrs.axis}));
  return attrs;
}

Result<std::vector<TensorDesc>> infer(const FlattenAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"input"}));
  const Shape& shape = in.shape(kInput);
  size_t axis = shape.rank();  // the one value that resolve_axis does not know
  if (attrs.axis != static_cast<int64_t>(shape.rank())) {
    TESSERA_ASSIGN_OR_RETURN(axis, resolve_axis(attrs.axis, shape.rank(), in.describe(kInput)));
  }
  return std::vector{
      TensorDesc{in.desc(kInput).dtype,
                 {shape.num_elements(0, axis), shape.num_elements(axis, shape.rank())}}};
}

Result<Lowering> lower(const FlattenAttrs& /*attrs*/, std::span<const LayerInput> /*inputs*/,
                       std::span<const TensorDesc> /*outputs*/) {
  return Lowering::alias(kInput);
}

}  // namespace

constinit const LayerDef flatten_layer =
    make_layer_def<FlattenAttrs, parse, infer, lower>("Flatten");

}  // namespace tessera
