// SPDX-License-Identifier: Apache-2.0
//
// BatchNormalization  Y = (X - mean) / sqrt(var + epsilon) * scale + B, per channel
//
// ONNX: X (N, C, D1, ...) or (N), which has one channel; scale, B, mean and var (C).
//   opset 14: training_mode; outputs beyond Y belong to training.
//   before:   up to four more outputs, the statistics of a training step.
//   opset 9:  the attribute spatial is gone; 0 meant statistics per element (C, D1, ...).
//   opset 6:  is_test, 0 by default: training.
// Only inference is computed, so the outputs beyond Y are not there.
#include <algorithm>

#include "kernels/problem/batch_norm.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kX = 0;
constexpr int kScale = 1;
constexpr int kBias = 2;
constexpr int kMean = 3;
constexpr int kVariance = 4;

struct BatchNormalizationAttrs {
  float epsilon = 1e-5f;
  bool spatial = true;
  size_t num_outputs = 1;
};

Result<BatchNormalizationAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  BatchNormalizationAttrs attrs;
  attrs.epsilon = reader.real("epsilon", 1e-5f);
  reader.ignore("momentum");
  if (node.opset < 9) attrs.spatial = reader.integer("spatial", 1) != 0;
  const size_t most_outputs = node.opset < 14 ? 5 : 3;
  attrs.num_outputs = std::min(node.num_outputs, most_outputs);
  if (node.opset < 7 && reader.integer("is_test", 0) == 0) {
    return unsupported("is_test = 0 is the training mode of opset 6; export for inference");
  }
  if (node.opset < 7 && !attrs.spatial) {
    return unsupported("spatial = 0 has no clear meaning at opset 6; export with opset 7 or later");
  }
  if (node.opset >= 14 && reader.integer("training_mode", 0) != 0) {
    return unsupported("training_mode = 1; export the model for inference (model.eval())");
  }
  return attrs;
}

// The shape of scale, B, mean and var.
Shape statistics_shape(const BatchNormalizationAttrs& attrs, const Shape& x) {
  if (x.rank() == 1) return {1};
  if (attrs.spatial) return {x[1]};
  return Shape(std::vector<int64_t>(x.extents().begin() + 1, x.extents().end()));
}

Result<std::vector<TensorDesc>> infer(const BatchNormalizationAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in,
                           Inputs::check(inputs, {"X", "scale", "B", "mean", "var"}));
  TESSERA_RETURN_IF_ERROR(in.expect_float32());
  if (in.shape(kX).rank() == 0) return invalid_model(in.describe(kX) + ": expected (N, C, ...)");
  const Shape statistics = statistics_shape(attrs, in.shape(kX));
  for (const int parameter : {kScale, kBias, kMean, kVariance}) {
    TESSERA_RETURN_IF_ERROR(in.expect_shape(parameter, statistics));
  }
  std::vector outputs{in.desc(kX)};
  outputs.resize(std::max<size_t>(attrs.num_outputs, 1), in.desc(kMean));
  return outputs;
}

Result<Lowering> lower(const BatchNormalizationAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> outputs) {
  const Shape& x = inputs[kX].desc.shape;
  BatchNormProblem problem;
  problem.dtype = inputs[kX].desc.dtype;
  problem.N = x[0];
  problem.C = statistics_shape(attrs, x).num_elements();
  problem.inner = attrs.spatial && x.rank() > 2 ? x.num_elements(2, x.rank()) : 1;
  problem.epsilon = attrs.epsilon;
  Lowering lowering = Lowering::compute(problem, {kX, kScale, kBias, kMean, kVariance});
  lowering.outputs.resize(
      outputs.size(),
      Lowering::Unavailable{"statistics of BatchNormalization are computed in training only"});
  return lowering;
}

}  // namespace

constinit const LayerDef batch_normalization_layer =
    make_layer_def<BatchNormalizationAttrs, parse, infer, lower>("BatchNormalization", kOldestOpset,
                                                                 "inference only");

}  // namespace tessera
