// SPDX-License-Identifier: Apache-2.0
//
// Transpose  axis d of transposed is axis perm[d] of data
//
// ONNX: perm reverses the axes by default. The same at every opset. Axes of extent 1 are left out
// and axes that stay neighbours become one, so that NCHW to NHWC is a batch of matrix transposes; a
// permutation that moves nothing in memory copies nothing.
#include <algorithm>
#include <numeric>

#include "kernels/problem/data_movement.h"
#include "layers/axes.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;

struct TransposeAttrs {
  std::vector<int64_t> perm;
  bool reverse = true;  // no perm given
};

Result<TransposeAttrs> parse(AttributeReader& reader, const LayerNode& /*node*/) {
  return TransposeAttrs{reader.integers("perm"), !reader.has("perm")};
}

Result<std::vector<size_t>> permutation_of(const TransposeAttrs& attrs, size_t rank) {
  std::vector<size_t> permutation(rank);
  if (attrs.reverse) {
    std::iota(permutation.rbegin(), permutation.rend(), size_t{0});
    return permutation;
  }
  const std::string text = "attribute 'perm' " + Shape(attrs.perm).to_string();
  std::vector<bool> seen(rank, false);
  bool valid = attrs.perm.size() == rank;
  for (size_t i = 0; valid && i < rank; ++i) {
    const auto axis = normalize_axis(attrs.perm[i], rank);
    valid = axis && attrs.perm[i] >= 0 && !seen[*axis];
    if (!valid) break;
    permutation[i] = *axis;
    seen[*axis] = true;
  }
  if (valid) return permutation;
  return invalid_model(text + ": expected each of the axes 0 to rank - 1 once, rank " +
                       std::to_string(rank));
}

Result<std::vector<TensorDesc>> infer(const TransposeAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"data"}));
  auto permutation = permutation_of(attrs, in.shape(kData).rank());
  if (!permutation.ok()) return permutation.status().with_context(in.describe(kData));
  TensorDesc result = in.desc(kData);
  for (size_t i = 0; i < permutation->size(); ++i) {
    result.shape[i] = in.shape(kData)[(*permutation)[i]];
  }
  return std::vector{result};
}

// A permutation of fewer axes that moves the same elements.
struct MergedAxes {
  std::vector<int64_t> extent;      // of the source
  std::vector<size_t> permutation;  // destination axis -> source axis
};

// The axes of extent > 1, in the order of the destination, in runs that are neighbours in the
// source.
std::vector<std::vector<size_t>> runs_of(const Shape& shape,
                                         const std::vector<size_t>& permutation) {
  std::vector<size_t> previous(shape.rank(), shape.rank());  // the last axis before that is not 1
  size_t last = shape.rank();
  for (size_t axis = 0; axis < shape.rank(); ++axis) {
    previous[axis] = last;
    if (shape[axis] != 1) last = axis;
  }
  std::vector<std::vector<size_t>> runs;
  for (const size_t axis : permutation) {
    if (shape[axis] == 1) continue;
    if (!runs.empty() && runs.back().back() == previous[axis]) {
      runs.back().push_back(axis);
    } else {
      runs.push_back({axis});
    }
  }
  return runs;
}

MergedAxes merge_axes(const Shape& shape, const std::vector<size_t>& permutation) {
  const auto runs = runs_of(shape, permutation);
  std::vector<size_t> order(runs.size());  // runs in the order of the source
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&runs](size_t a, size_t b) { return runs[a][0] < runs[b][0]; });
  MergedAxes merged;
  merged.permutation.resize(runs.size());
  for (size_t source = 0; source < order.size(); ++source) {
    int64_t extent = 1;
    for (const size_t axis : runs[order[source]]) extent *= shape[axis];
    merged.extent.push_back(extent);
    merged.permutation[order[source]] = source;
  }
  return merged;
}

Result<Lowering> lower(const TransposeAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  const TensorDesc& src = inputs[kData].desc;
  TESSERA_ASSIGN_OR_RETURN(const auto permutation, permutation_of(attrs, src.shape.rank()));
  const MergedAxes merged = merge_axes(src.shape, permutation);
  if (merged.extent.size() <= 1) return Lowering::alias(kData);
  if (merged.extent.size() > TransposeProblem::kMaxRank) {
    return unsupported("transposing " + src.to_string() + " moves more than " +
                       std::to_string(TransposeProblem::kMaxRank) + " axes");
  }
  TransposeProblem problem;
  problem.dtype = src.dtype;
  problem.rank = static_cast<int>(merged.extent.size());
  std::copy(merged.extent.begin(), merged.extent.end(), problem.extent.begin());
  std::copy(merged.permutation.begin(), merged.permutation.end(), problem.permutation.begin());
  return Lowering::compute(problem, {kData});
}

}  // namespace

constinit const LayerDef transpose_layer =
    make_layer_def<TransposeAttrs, parse, infer, lower>("Transpose");

}  // namespace tessera
