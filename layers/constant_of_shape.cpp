// SPDX-License-Identifier: Apache-2.0
//
// ConstantOfShape  output = a tensor of the shape given by `input`, filled with `value`
//
// ONNX: value is a tensor of one element, float32 0 by default. Since opset 9; later ones only
// added element types.
#include "layers/folded.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kInput = 0;

struct ConstantOfShapeAttrs {
  Tensor value;
};

Result<ConstantOfShapeAttrs> parse(AttributeReader& reader, const LayerNode& /*node*/) {
  ConstantOfShapeAttrs attrs{
      reader.tensor("value").value_or(Tensor::from_values<float>({}, {0.0f}))};
  if (attrs.value.num_elements() != 1) {
    return invalid_model("attribute 'value' " + attrs.value.desc().to_string() +
                         ": expected one element");
  }
  return attrs;
}

Result<std::vector<TensorDesc>> infer(const ConstantOfShapeAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"input"}));
  TESSERA_RETURN_IF_ERROR(in.expect_rank(kInput, 1));
  TESSERA_ASSIGN_OR_RETURN(const auto extents, in.constant_integers(kInput));
  const TensorDesc desc = {attrs.value.dtype(), Shape(extents)};
  for (const int64_t extent : extents) {
    if (extent < 0) {
      return invalid_model("the shape " + desc.shape.to_string() + " has a negative extent");
    }
  }
  TESSERA_RETURN_IF_ERROR(check_folded_size(desc));
  return std::vector{desc};
}

Result<Lowering> lower(const ConstantOfShapeAttrs& attrs, std::span<const LayerInput> /*inputs*/,
                       std::span<const TensorDesc> outputs) {
  TESSERA_ASSIGN_OR_RETURN(Tensor value, filled_tensor(outputs[0].shape, attrs.value));
  return Lowering::constant(std::move(value));
}

}  // namespace

constinit const LayerDef constant_of_shape_layer =
    make_layer_def<ConstantOfShapeAttrs, parse, infer, lower>("ConstantOfShape", 9,
                                                              "the shape must be a constant");

}  // namespace tessera
