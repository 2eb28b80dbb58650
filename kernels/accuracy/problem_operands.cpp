// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/problem_operands.h"

#include <algorithm>
#include <numeric>

#include "core/tensor.h"

namespace tessera {
namespace {

int64_t image_elements(Layout layout, int64_t n, int64_t c, int64_t h, int64_t w) {
  return TensorDesc{DType::kF32, {n, c, h, w}, layout}.storage_elements();
}

// The shape as it lies in memory, so that an index splits into coordinates by division.
Shape image_storage_shape(Layout layout, int64_t n, int64_t c, int64_t h, int64_t w) {
  const int64_t block = layout_channel_block(layout);
  if (layout == Layout::kNHWC) return {n, h, w, c};
  if (block > 1) return {n, (c + block - 1) / block, h, w, block};
  return {n, c, h, w};
}

// Elements from the first to the last of a strided operand, 0 when an extent is 0.
template <typename Extents, typename Strides>
int64_t strided_elements(const Extents& extents, const Strides& strides, int rank, int64_t inner) {
  int64_t last = inner;
  for (int d = 0; d < rank; ++d) {
    if (extents[static_cast<size_t>(d)] == 0) return 0;
    last += (extents[static_cast<size_t>(d)] - 1) * strides[static_cast<size_t>(d)];
  }
  return inner == 0 ? 0 : last;
}

int64_t matrix_elements(int64_t rows, int64_t columns, int64_t stride) {
  return rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns;
}

struct Describe {
  ProblemOperands operator()(const GemmProblem& p) const {
    const int64_t a =
        p.transpose_a ? matrix_elements(p.K, p.M, p.lda) : matrix_elements(p.M, p.K, p.lda);
    const int64_t b =
        p.transpose_b ? matrix_elements(p.N, p.K, p.ldb) : matrix_elements(p.K, p.N, p.ldb);
    const bool empty = p.M == 0 || p.N == 0;
    const int64_t bias = empty ? 0 : (p.M - 1) * p.bias_stride_m + (p.N - 1) * p.bias_stride_n + 1;
    const int64_t d = matrix_elements(p.batch() * p.M, p.N, p.ldd);
    return {
        {{p.dtype, strided_elements(p.batch_extent, p.batch_stride_a, p.batch_rank, a)},
         {p.dtype, strided_elements(p.batch_extent, p.batch_stride_b, p.batch_rank, b), true, true},
         {p.dtype, bias, p.epilogue.has_bias, true},
         {p.dtype, d, p.epilogue.has_residual}},
        {p.dtype, d},
        {p.batch(), p.M, p.ldd}};
  }
  ProblemOperands operator()(const ConvProblem& p) const {
    const int64_t dst = image_elements(p.dst_layout, p.N, p.K, p.P, p.Q);
    return {{{p.dtype, image_elements(p.src_layout, p.N, p.C, p.H, p.W)},
             {p.dtype, p.K * (p.C / p.groups) * p.R * p.S, true, true},
             {p.dtype, p.K, p.epilogue.has_bias, true},
             {p.dtype, dst, p.epilogue.has_residual}},
            {p.dtype, dst},
            image_storage_shape(p.dst_layout, p.N, p.K, p.P, p.Q)};
  }
  ProblemOperands operator()(const PoolProblem& p) const {
    return {{{p.dtype, image_elements(p.layout, p.N, p.C, p.H, p.W)}},
            {p.dtype, image_elements(p.layout, p.N, p.C, p.P, p.Q)},
            image_storage_shape(p.layout, p.N, p.C, p.P, p.Q)};
  }
  ProblemOperands operator()(const SoftmaxProblem& p) const {
    const OperandSpec all{p.dtype, p.outer * p.axis * p.inner};
    return {{all}, all, {p.outer, p.axis, p.inner}};
  }
  ProblemOperands operator()(const ReduceProblem& p) const {
    return {
        {{p.dtype, p.outer * p.axis * p.inner}}, {p.dtype, p.outer * p.inner}, {p.outer, p.inner}};
  }
  ProblemOperands operator()(const UnaryProblem& p) const {
    return {{{p.dtype, p.count}}, {p.dtype, p.count}, {p.count}};
  }
  ProblemOperands operator()(const BinaryProblem& p) const {
    const std::vector<int64_t> extents(p.extent.begin(), p.extent.begin() + p.rank);
    return {{{p.dtype, strided_elements(p.extent, p.stride_a, p.rank, 1)},
             {p.dtype, strided_elements(p.extent, p.stride_b, p.rank, 1)}},
            {p.dtype, p.count()},
            Shape(extents)};
  }
  ProblemOperands operator()(const CastProblem& p) const {
    return {{{p.from, p.count}}, {p.to, p.count}, {p.count}};
  }
  ProblemOperands operator()(const BatchNormProblem& p) const {
    const OperandSpec image{p.dtype, p.N * p.C * p.inner};
    const OperandSpec parameter{p.dtype, p.C, true, true};
    return {{image, parameter, parameter, parameter, parameter}, image, {p.N, p.C, p.inner}};
  }
  ProblemOperands operator()(const TransposeProblem& p) const {
    std::vector<int64_t> extents;
    for (int d = 0; d < p.rank; ++d) extents.push_back(p.extent[p.permutation[d]]);
    return {{{p.dtype, p.count()}}, {p.dtype, p.count()}, Shape(extents)};
  }
  ProblemOperands operator()(const ConcatProblem& p) const {
    ProblemOperands operands;
    int64_t axis = 0;
    for (const int64_t extent : p.axis_extents) {
      operands.inputs.push_back({p.dtype, p.outer * extent * p.inner});
      axis += extent;
    }
    operands.output = {p.dtype, p.outer * axis * p.inner};
    operands.output_shape = {p.outer, axis, p.inner};
    return operands;
  }
  ProblemOperands operator()(const GatherProblem& p) const {
    return {{{p.dtype, p.outer * p.axis * p.inner}, {p.index_dtype, p.index_count}},
            {p.dtype, p.outer * p.index_count * p.inner},
            {p.outer, p.index_count, p.inner}};
  }
  ProblemOperands operator()(const ReorderProblem& p) const {
    return {{{p.dtype, image_elements(p.from, p.N, p.C, p.H, p.W)}},
            {p.dtype, image_elements(p.to, p.N, p.C, p.H, p.W)},
            image_storage_shape(p.to, p.N, p.C, p.H, p.W)};
  }
  ProblemOperands operator()(const ImageProblem& p) const {
    return {{{DType::kU8, p.N * p.H * p.W * p.C}},
            {p.dtype, image_elements(p.dst_layout, p.N, p.C, p.H, p.W)},
            image_storage_shape(p.dst_layout, p.N, p.C, p.H, p.W)};
  }
};

// The families whose result the tests compute in float64.
template <typename P>
constexpr bool kHasComputeDType =
    std::is_same_v<P, GemmProblem> || std::is_same_v<P, ConvProblem> ||
    std::is_same_v<P, PoolProblem> || std::is_same_v<P, SoftmaxProblem> ||
    std::is_same_v<P, UnaryProblem> || std::is_same_v<P, BatchNormProblem> ||
    std::is_same_v<P, ReduceProblem>;

}  // namespace

ProblemOperands describe_operands(const Problem& problem) {
  return std::visit(Describe{}, problem);
}

bool is_gap(const Problem& problem, int64_t output_index) {
  const auto* gemm = std::get_if<GemmProblem>(&problem);
  return gemm != nullptr && output_index % gemm->ldd >= gemm->N;
}

Problem as_float64(const Problem& problem) {
  Problem promoted = problem;
  std::visit(
      []<typename P>(P& typed) {
        if constexpr (kHasComputeDType<P>) typed.dtype = DType::kF64;
      },
      promoted);
  return promoted;
}

DType compute_dtype(const Problem& problem) {
  return std::visit(
      []<typename P>(const P& typed) {
        if constexpr (kHasComputeDType<P>) return typed.dtype;
        return DType::kBool;
      },
      problem);
}

}  // namespace tessera
