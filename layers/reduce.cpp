// SPDX-License-Identifier: Apache-2.0
//
// ReduceMean  reduced = the mean of data over `axes`
//
// ONNX: no axes means all of them; keepdims (1 by default) leaves extents of 1.
//   opset 18: axes is an input; noop_with_empty_axes makes "no axes" mean none.
//   before:   it is an attribute.
// Exporters write it for global average pooling, so only the last axes can be reduced: it is
// lowered to a pool whose window is the whole image.
#include <numeric>

#include "kernels/problem/pool.h"
#include "layers/axes.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;
constexpr int kAxes = 1;

struct ReduceMeanAttrs {
  std::vector<int64_t> axes;
  bool keep_dims = true;
  bool axes_are_input = false;
  bool no_axes_is_identity = false;
};

Result<ReduceMeanAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  ReduceMeanAttrs attrs;
  attrs.keep_dims = reader.integer("keepdims", 1) != 0;
  attrs.axes_are_input = node.opset >= 18;
  if (attrs.axes_are_input) {
    attrs.no_axes_is_identity = reader.integer("noop_with_empty_axes", 0) != 0;
  } else {
    attrs.axes = reader.integers("axes");
  }
  return attrs;
}

// The axes to reduce, sorted; none when the result is the input.
Result<std::vector<size_t>> reduced_axes(const ReduceMeanAttrs& attrs,
                                         std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, attrs.axes_are_input
                                                ? Inputs::check(inputs, {"data"}, {"axes"})
                                                : Inputs::check(inputs, {"data"}));
  if (in.desc(kData).dtype != DType::kF32) {
    return unsupported(in.describe(kData) + ": only float32 is computed yet");
  }
  std::vector<int64_t> axes = attrs.axes;
  if (in.has(kAxes)) {
    TESSERA_ASSIGN_OR_RETURN(axes, in.constant_integers(kAxes));
  }
  const size_t rank = in.shape(kData).rank();
  TESSERA_ASSIGN_OR_RETURN(std::vector<size_t> reduced,
                           resolve_axes(axes, rank, in.describe(kData)));
  if (reduced.empty() && !attrs.no_axes_is_identity) {
    reduced.resize(rank);
    std::iota(reduced.begin(), reduced.end(), size_t{0});
  }
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i] != rank - reduced.size() + i) {
      return unsupported("the mean of " + in.describe(kData) + " over axes " +
                         Shape(axes).to_string() + ": only the last axes can be reduced");
    }
    if (in.shape(kData)[reduced[i]] == 0) {
      return invalid_model(in.describe(kData) + ": no elements to average along axis " +
                           std::to_string(reduced[i]));
    }
  }
  return reduced;
}

Result<std::vector<TensorDesc>> infer(const ReduceMeanAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const auto reduced, reduced_axes(attrs, inputs));
  std::vector<int64_t> extents = inputs[kData].desc.shape.extents();
  extents.resize(extents.size() - reduced.size());
  if (attrs.keep_dims) extents.resize(extents.size() + reduced.size(), 1);
  return std::vector{TensorDesc{inputs[kData].desc.dtype, Shape(std::move(extents))}};
}

Result<Lowering> lower(const ReduceMeanAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  TESSERA_ASSIGN_OR_RETURN(const auto reduced, reduced_axes(attrs, inputs));
  if (reduced.empty()) return Lowering::alias(kData);
  const Shape& data = inputs[kData].desc.shape;
  const size_t kept = data.rank() - reduced.size();
  PoolProblem problem;
  problem.kind = PoolKind::kAverage;
  problem.dtype = inputs[kData].desc.dtype;
  problem.C = kept > 0 ? data[kept - 1] : 1;
  problem.N = kept > 0 ? data.num_elements(0, kept - 1) : 1;
  problem.W = problem.S = data[data.rank() - 1];
  problem.H = problem.R = data.num_elements(kept, data.rank() - 1);
  problem.P = problem.Q = 1;
  return Lowering::compute(problem, {kData});
}

}  // namespace

constinit const LayerDef reduce_mean_layer = make_layer_def<ReduceMeanAttrs, parse, infer, lower>(
    "ReduceMean", kOldestOpset, "over the last axes");

}  // namespace tessera
