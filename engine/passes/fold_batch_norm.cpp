// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include "engine/passes/passes.h"

namespace tessera {
namespace {

// y = x * scale[c] + shift[c]: a batch norm in inference, in double precision.
struct ChannelAffine {
  std::vector<double> scale;
  std::vector<double> shift;
};

const Tensor* constant_input(const Graph& graph, const Node& node, size_t index) {
  if (index >= node.inputs.size() || node.inputs[index] == kNoValue) return nullptr;
  const Value& value = graph.values[node.inputs[index]];
  return value.constant ? &*value.constant : nullptr;
}

bool is_absent(const Node& node, size_t index) {
  return index >= node.inputs.size() || node.inputs[index] == kNoValue;
}

// The affine form of a batch norm over axis 1 whose parameters are float32 constants, one a
// channel.
std::optional<ChannelAffine> channel_affine(const Graph& graph, const Node& norm) {
  constexpr size_t kScale = 1, kBias = 2, kMean = 3, kVariance = 4;
  const Shape& shape = graph.values[norm.inputs[0]].desc->shape;
  for (const size_t index : {kScale, kBias, kMean, kVariance}) {
    const Tensor* parameter = constant_input(graph, norm, index);
    if (parameter == nullptr || parameter->dtype() != DType::kF32) return std::nullopt;
    // Opset 7's spatial = 0 has one parameter per cell, which no convolution can absorb.
    if (parameter->shape() != Shape{shape[1]}) return std::nullopt;
  }
  AttributeReader reader(norm.attributes);
  const double epsilon = reader.real("epsilon", 1e-5f);
  ChannelAffine affine;
  for (int64_t c = 0; c < shape[1]; ++c) {
    const auto parameter = [&](size_t i) {
      return element_as_double(*constant_input(graph, norm, i), c);
    };
    const double scale = parameter(kScale) / std::sqrt(parameter(kVariance) + epsilon);
    affine.scale.push_back(scale);
    affine.shift.push_back(parameter(kBias) - parameter(kMean) * scale);
  }
  return affine;
}

// weights[..] * scale[channel of element], where the channel of element i is
// (i / inner) % channels.
Result<Tensor> scale_channels(const Tensor& weights, const ChannelAffine& affine, int64_t inner) {
  TESSERA_ASSIGN_OR_RETURN(Tensor scaled, Tensor::allocate(weights.desc()));
  const auto source = weights.values<float>();
  const auto target = scaled.mutable_values<float>();
  const auto channels = static_cast<int64_t>(affine.scale.size());
  for (int64_t i = 0; i < weights.num_elements(); ++i) {
    target[i] = static_cast<float>(source[i] * affine.scale[i / inner % channels]);
  }
  return scaled;
}

// bias_factor * bias * scale + shift; an absent bias counts as zero.
Result<Tensor> affine_bias(const Tensor* bias, double bias_factor, const ChannelAffine& affine) {
  const auto channels = static_cast<int64_t>(affine.scale.size());
  TESSERA_ASSIGN_OR_RETURN(Tensor folded, Tensor::allocate({DType::kF32, Shape{channels}}));
  for (int64_t c = 0; c < channels; ++c) {
    const double old = bias == nullptr ? 0.0 : bias_factor * element_as_double(*bias, c);
    folded.mutable_values<float>()[c] = static_cast<float>(old * affine.scale[c] + affine.shift[c]);
  }
  return folded;
}

ValueId add_constant(Graph& graph, std::string name, Tensor tensor) {
  Value value;
  value.name = std::move(name);
  value.desc = tensor.desc();
  value.constant = std::move(tensor);
  graph.values.push_back(std::move(value));
  return static_cast<ValueId>(graph.values.size() - 1);
}

// The weights' elements from one output channel to the next, 0 when the node cannot take a batch
// norm in: its weights or bias are not float32 constants of the plain kind.
int64_t elements_per_channel(const Graph& graph, const Node& node, int64_t channels) {
  const Tensor* weights = constant_input(graph, node, 1);
  const Tensor* bias = constant_input(graph, node, 2);
  if (weights == nullptr || weights->dtype() != DType::kF32) return 0;
  if (!is_absent(node, 2) &&
      (bias == nullptr || bias->dtype() != DType::kF32 || bias->shape() != Shape{channels})) {
    return 0;
  }
  if (node.op_type == "Conv") return weights->shape().num_elements(1, weights->shape().rank());
  if (node.op_type != "Gemm") return 0;
  AttributeReader reader(node.attributes);
  const bool transposed = reader.integer("transB", 0) != 0;
  return transposed ? weights->shape()[1] : 1;
}

Status absorb(Graph& graph, Node& node, const Node& norm, const ChannelAffine& affine,
              int64_t inner) {
  const Tensor* bias = constant_input(graph, node, 2);
  AttributeReader reader(node.attributes);
  const double beta = node.op_type == "Gemm" ? reader.real("beta", 1.0f) : 1.0;
  TESSERA_ASSIGN_OR_RETURN(Tensor new_bias, affine_bias(bias, beta, affine));
  TESSERA_ASSIGN_OR_RETURN(Tensor new_weights,
                           scale_channels(*constant_input(graph, node, 1), affine, inner));
  node.inputs.resize(3, kNoValue);
  node.inputs[1] = add_constant(graph, node.name + ".folded_weights", std::move(new_weights));
  node.inputs[2] = add_constant(graph, node.name + ".folded_bias", std::move(new_bias));
  // beta is part of the new bias.
  if (node.op_type == "Gemm") node.attributes["beta"] = 1.0f;
  node.outputs[0] = norm.outputs[0];
  node.folded_names.push_back(norm.name);
  return {};
}

}  // namespace

Result<PassLog> fold_batch_norm(Graph& graph) {
  PassLog log;
  std::vector<int> producers = find_producers(graph);
  const std::vector<int> uses = count_uses(graph);
  std::vector<bool> absorbed(graph.nodes.size(), false);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& norm = graph.nodes[i];
    if (norm.op_type != "BatchNormalization" || !norm.domain.empty()) continue;
    const ValueId source = norm.inputs[0];
    const int producer = producers[source];
    if (producer < 0 || uses[source] != 1 || graph.values[source].desc->shape.rank() < 2) continue;
    Node& node = graph.nodes[producer];
    const std::optional<ChannelAffine> affine = channel_affine(graph, norm);
    if (!affine) continue;
    const int64_t inner =
        elements_per_channel(graph, node, static_cast<int64_t>(affine->scale.size()));
    if (inner == 0) continue;
    TESSERA_RETURN_IF_ERROR(absorb(graph, node, norm, *affine, inner));
    // The node stands before its batch norm, hence before every reader of the norm's output.
    producers[norm.outputs[0]] = producer;
    absorbed[i] = true;
    log.push_back("folded " + norm.name + " into " + node.name);
  }
  size_t index = 0;
  std::erase_if(graph.nodes, [&](const Node&) { return absorbed[index++]; });
  return log;
}

}  // namespace tessera
