// SPDX-License-Identifier: Apache-2.0
//
// Relu       Y = max(X, 0)
// LeakyRelu  Y = X >= 0 ? X : alpha * X, alpha = 0.01 by default
// Sigmoid    Y = 1 / (1 + exp(-X))
// Tanh       Y = tanh(X)
//
// ONNX: one input, one output of the same shape. Later opsets only added element types.
#include "kernels/problem/elementwise.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kX = 0;

struct ActivationAttrs {
  Activation activation;
};

template <ActivationKind kKind>
Result<ActivationAttrs> parse(AttributeReader& reader, const LayerNode& /*node*/) {
  ActivationAttrs attrs;
  attrs.activation.kind = kKind;
  if (kKind == ActivationKind::kLeakyRelu) attrs.activation.alpha = reader.real("alpha", 0.01f);
  return attrs;
}

Result<std::vector<TensorDesc>> infer(const ActivationAttrs& /*attrs*/,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"X"}));
  TESSERA_RETURN_IF_ERROR(in.expect_float32());
  return std::vector{in.desc(kX)};
}

Result<Lowering> lower(const ActivationAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  UnaryProblem problem;
  problem.dtype = inputs[kX].desc.dtype;
  problem.count = inputs[kX].desc.num_elements();
  problem.activation = attrs.activation;
  return Lowering::compute(problem, {kX});
}

template <ActivationKind kKind>
constexpr LayerDef activation_def(std::string_view op_type) {
  return make_layer_def<ActivationAttrs, parse<kKind>, infer, lower>(op_type);
}

}  // namespace

constinit const LayerDef relu_layer = activation_def<ActivationKind::kRelu>("Relu");
constinit const LayerDef leaky_relu_layer = activation_def<ActivationKind::kLeakyRelu>("LeakyRelu");
constinit const LayerDef sigmoid_layer = activation_def<ActivationKind::kSigmoid>("Sigmoid");
constinit const LayerDef tanh_layer = activation_def<ActivationKind::kTanh>("Tanh");

}  // namespace tessera
