// SPDX-License-Identifier: Apache-2.0
//
// Dropout  output = data at inference; mask (optional) is true everywhere
//
// ONNX:
//   opset 12: ratio and training_mode are inputs, seed an attribute.
//   opset 10: mask is bool; before, it has the type of data.
//   opset 7:  ratio is an attribute, inference is meant.
//   opset 6:  is_test, 0 by default: training.
#include "layers/folded.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;
constexpr int kTrainingMode = 2;

struct DropoutAttrs {
  bool has_mask = false;
  bool mask_is_bool = true;
  bool has_inputs = false;  // ratio and training_mode
};

Result<DropoutAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  DropoutAttrs attrs;
  attrs.has_mask = node.num_outputs > 1;
  attrs.mask_is_bool = node.opset >= 10;
  attrs.has_inputs = node.opset >= 12;
  reader.ignore(attrs.has_inputs ? "seed" : "ratio");
  if (node.opset < 7 && reader.integer("is_test", 0) == 0) {
    return unsupported("is_test = 0 is the training mode of opset 6; export for inference");
  }
  return attrs;
}

Status expect_inference(const Inputs& in) {
  if (!in.has(kTrainingMode)) return {};
  TESSERA_ASSIGN_OR_RETURN(const Tensor training_mode, in.constant_scalar(kTrainingMode));
  if (element_as_double(training_mode, 0) == 0.0) return {};
  return unsupported("training_mode is true; export the model for inference (model.eval())");
}

Result<std::vector<TensorDesc>> infer(const DropoutAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in,
                           attrs.has_inputs
                               ? Inputs::check(inputs, {"data"}, {"ratio", "training_mode"})
                               : Inputs::check(inputs, {"data"}));
  TESSERA_RETURN_IF_ERROR(expect_inference(in));
  std::vector outputs{in.desc(kData)};
  if (attrs.has_mask) {
    const DType dtype = attrs.mask_is_bool ? DType::kBool : in.desc(kData).dtype;
    outputs.push_back({dtype, in.shape(kData)});
    TESSERA_RETURN_IF_ERROR(check_folded_size(outputs[1]));
  }
  return outputs;
}

Result<Lowering> lower(const DropoutAttrs& attrs, std::span<const LayerInput> /*inputs*/,
                       std::span<const TensorDesc> outputs) {
  Lowering lowering = Lowering::alias(kData);
  if (!attrs.has_mask) return lowering;
  if (outputs[1].dtype != DType::kBool && outputs[1].dtype != DType::kF32) {
    lowering.outputs.emplace_back(
        Lowering::Unavailable{std::string("a mask of ones in ") + dtype_name(outputs[1].dtype)});
    return lowering;
  }
  const Tensor kept = outputs[1].dtype == DType::kBool ? Tensor::from_values<bool>({}, {true})
                                                       : Tensor::from_values<float>({}, {1.0f});
  TESSERA_ASSIGN_OR_RETURN(Tensor mask, filled_tensor(outputs[1].shape, kept));
  lowering.outputs.emplace_back(Lowering::Constant{std::move(mask)});
  return lowering;
}

}  // namespace

constinit const LayerDef dropout_layer =
    make_layer_def<DropoutAttrs, parse, infer, lower>("Dropout", kOldestOpset, "inference only");

}  // namespace tessera
