// SPDX-License-Identifier: Apache-2.0
//
// ReduceSum, ReduceMean, ReduceMax, ReduceMin, ReduceProd, ReduceL1, ReduceL2, ReduceSumSquare,
// ReduceLogSumExp    reduced = the reduction of data over `axes`, kernels/problem/reduce.h
//
// ONNX: no axes means all of them; keepdims (1 by default) leaves extents of 1.
//   opset 18 (ReduceSum: 13): axes is an input; noop_with_empty_axes makes "no axes" mean none.
//   before:                   it is an attribute.
// The axes must be neighbours, axes of extent 1 aside. A mean over the last axes is how exporters
// write global average pooling, and is lowered to that.
#include "kernels/problem/reduce.h"

#include <algorithm>
#include <numeric>

#include "kernels/problem/pool.h"
#include "layers/axes.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;
constexpr int kAxes = 1;

struct ReduceAttrs {
  std::vector<int64_t> axes;
  bool keep_dims = true;
  bool axes_are_input = false;
  bool no_axes_is_identity = false;
};

template <ReduceKind kKind>
Result<ReduceAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  ReduceAttrs attrs;
  attrs.keep_dims = reader.integer("keepdims", 1) != 0;
  attrs.axes_are_input = node.opset >= (kKind == ReduceKind::kSum ? 13 : 18);
  if (attrs.axes_are_input) {
    attrs.no_axes_is_identity = reader.integer("noop_with_empty_axes", 0) != 0;
  } else {
    attrs.axes = reader.integers("axes");
  }
  return attrs;
}

// kUnsupported when an axis that counts lies between two of `reduced`.
Status expect_neighbours(const Inputs& in, const std::vector<size_t>& reduced) {
  const Shape& shape = in.shape(kData);
  for (size_t i = 1; i < reduced.size(); ++i) {
    for (size_t axis = reduced[i - 1] + 1; axis < reduced[i]; ++axis) {
      if (shape[axis] == 1) continue;
      const std::vector<int64_t> axes(reduced.begin(), reduced.end());
      return unsupported("reducing " + in.describe(kData) + " over axes " +
                         Shape(axes).to_string() +
                         ": only neighbouring axes can be reduced at once; use one node for each");
    }
  }
  return {};
}

// The axes to reduce, sorted; none when the result is the input.
Result<std::vector<size_t>> reduced_axes(const ReduceAttrs& attrs,
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
  TESSERA_RETURN_IF_ERROR(expect_neighbours(in, reduced));
  return reduced;
}

template <ReduceKind kKind>
Result<std::vector<TensorDesc>> infer(const ReduceAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const auto reduced, reduced_axes(attrs, inputs));
  const TensorDesc& data = inputs[kData].desc;
  std::vector<int64_t> extents = data.shape.extents();
  for (size_t i = reduced.size(); i-- > 0;) {
    const auto position = static_cast<std::ptrdiff_t>(reduced[i]);
    if (kKind == ReduceKind::kMean && data.shape[reduced[i]] == 0) {
      return invalid_model(data.to_string() + ": no elements to average along axis " +
                           std::to_string(reduced[i]));
    }
    if (attrs.keep_dims) {
      extents[reduced[i]] = 1;
    } else {
      extents.erase(extents.begin() + position);
    }
  }
  return std::vector{TensorDesc{data.dtype, Shape(std::move(extents))}};
}

// The mean over the axes from `first` on.
PoolProblem average_pool(const TensorDesc& data, size_t first) {
  const Shape& shape = data.shape;
  PoolProblem problem;
  problem.kind = PoolKind::kAverage;
  problem.dtype = data.dtype;
  problem.C = first > 0 ? shape[first - 1] : 1;
  problem.N = first > 0 ? shape.num_elements(0, first - 1) : 1;
  problem.W = problem.S = shape[shape.rank() - 1];
  problem.H = problem.R = shape.num_elements(first, shape.rank() - 1);
  problem.P = problem.Q = 1;
  return problem;
}

template <ReduceKind kKind>
Result<Lowering> lower(const ReduceAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  TESSERA_ASSIGN_OR_RETURN(const auto reduced, reduced_axes(attrs, inputs));
  if (reduced.empty() && attrs.no_axes_is_identity) return Lowering::alias(kData);
  const TensorDesc& data = inputs[kData].desc;
  const size_t rank = data.shape.rank();
  const size_t first = reduced.empty() ? rank : reduced.front();
  if (kKind == ReduceKind::kMean) {
    if (reduced.empty()) return Lowering::alias(kData);  // the mean of a scalar
    if (reduced.size() == rank - first) {
      return Lowering::compute(average_pool(data, first), {kData});
    }
  }
  const size_t end = reduced.empty() ? rank : reduced.back() + 1;
  ReduceProblem problem;
  problem.kind = kKind;
  problem.dtype = data.dtype;
  problem.outer = data.shape.num_elements(0, first);
  problem.axis = data.shape.num_elements(first, end);
  problem.inner = data.shape.num_elements(end, rank);
  return Lowering::compute(problem, {kData});
}

template <ReduceKind kKind>
constexpr LayerDef make_reduce(std::string_view op_type) {
  return make_layer_def<ReduceAttrs, parse<kKind>, infer<kKind>, lower<kKind>>(
      op_type, kOldestOpset, "over neighbouring axes");
}

}  // namespace

constinit const LayerDef reduce_sum_layer = make_reduce<ReduceKind::kSum>("ReduceSum");
constinit const LayerDef reduce_mean_layer = make_reduce<ReduceKind::kMean>("ReduceMean");
constinit const LayerDef reduce_max_layer = make_reduce<ReduceKind::kMax>("ReduceMax");
constinit const LayerDef reduce_min_layer = make_reduce<ReduceKind::kMin>("ReduceMin");
constinit const LayerDef reduce_prod_layer = make_reduce<ReduceKind::kProd>("ReduceProd");
constinit const LayerDef reduce_l1_layer = make_reduce<ReduceKind::kL1>("ReduceL1");
constinit const LayerDef reduce_l2_layer = make_reduce<ReduceKind::kL2>("ReduceL2");
constinit const LayerDef reduce_sum_square_layer =
    make_reduce<ReduceKind::kSumSquare>("ReduceSumSquare");
constinit const LayerDef reduce_log_sum_exp_layer =
    make_reduce<ReduceKind::kLogSumExp>("ReduceLogSumExp");

}  // namespace tessera
