// SPDX-License-Identifier: Apache-2.0
//
// Identity  output = input
//
// ONNX: later opsets only added element types.
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kInput = 0;

struct IdentityAttrs {};

Result<IdentityAttrs> parse(AttributeReader& /*reader*/, const LayerNode& /*node*/) {
  return IdentityAttrs{};
}

Result<std::vector<TensorDesc>> infer(const IdentityAttrs& /*attrs*/,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"input"}));
  return std::vector{in.desc(kInput)};
}

Result<Lowering> lower(const IdentityAttrs& /*attrs*/, std::span<const LayerInput> /*inputs*/,
                       std::span<const TensorDesc> /*outputs*/) {
  return Lowering::alias(kInput);
}

}  // namespace

constinit const LayerDef identity_layer =
    make_layer_def<IdentityAttrs, parse, infer, lower>("Identity");

}  // namespace tessera
