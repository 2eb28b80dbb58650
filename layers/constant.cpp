// SPDX-License-Identifier: Apache-2.0
//
// Constant  output = the value of the one attribute that is given
//
// ONNX:
//   opset 12: value_float, value_floats, value_int, value_ints (and strings, which have no use
//   here). opset 11: sparse_value, which is not read. before:   value, a tensor.
#include <initializer_list>

#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

struct ConstantAttrs {
  Tensor value;
};

// The value in whichever attribute holds it; a tensor without data where there is none.
Tensor read_value(AttributeReader& reader, int opset) {
  if (reader.has("value")) return reader.tensor("value").value_or(Tensor());
  if (opset < 12) return {};
  if (reader.has("value_float")) {
    return Tensor::from_values<float>({}, {reader.real("value_float", 0.0f)});
  }
  if (reader.has("value_int")) {
    return Tensor::from_values<int64_t>({}, {reader.integer("value_int", 0)});
  }
  if (reader.has("value_floats")) {
    const std::vector<float> values = reader.reals("value_floats");
    return Tensor::from_values<float>({static_cast<int64_t>(values.size())}, values);
  }
  if (reader.has("value_ints")) {
    const std::vector<int64_t> values = reader.integers("value_ints");
    return Tensor::from_values<int64_t>({static_cast<int64_t>(values.size())}, values);
  }
  return {};
}

Result<ConstantAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  for (const char* name : {"value_string", "value_strings", "sparse_value"}) {
    if (!reader.has(name)) continue;
    reader.ignore(name);
    return unsupported("a constant given by the attribute '" + std::string(name) + "'");
  }
  if (node.attributes.size() != 1) {
    return invalid_model("expected exactly one attribute that holds the value, found " +
                         std::to_string(node.attributes.size()));
  }
  return ConstantAttrs{read_value(reader, node.opset)};
}

Result<std::vector<TensorDesc>> infer(const ConstantAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_RETURN_IF_ERROR(Inputs::check(inputs, {}).status());
  return std::vector{attrs.value.desc()};
}

Result<Lowering> lower(const ConstantAttrs& attrs, std::span<const LayerInput> /*inputs*/,
                       std::span<const TensorDesc> /*outputs*/) {
  return Lowering::constant(attrs.value);
}

}  // namespace

constinit const LayerDef constant_layer = make_layer_def<ConstantAttrs, parse, infer, lower>(
    "Constant", kOldestOpset, "no strings, no sparse tensors");

}  // namespace tessera
