// SPDX-License-Identifier: Apache-2.0
//
// Gemm  Y = alpha * op(A) * op(B) + beta * C
//
// ONNX: op(A) (M, K) and op(B) (K, N), transposed by transA and transB; C is broadcast to (M, N).
//   opset 11: C is optional.
//   opset 7:  C is broadcast by numpy's rules.
//   opset 6:  C is broadcast only when the attribute `broadcast` is not zero.
// With beta = 0, C is not read: a NaN in it does not reach Y.
#include "kernels/problem/gemm.h"

#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kA = 0;
constexpr int kB = 1;
constexpr int kC = 2;

struct GemmAttrs {
  float alpha = 1.0f;
  float beta = 1.0f;
  bool transpose_a = false;
  bool transpose_b = false;
  bool broadcast = true;
  bool c_is_optional = true;
};

Result<GemmAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  GemmAttrs attrs;
  attrs.alpha = reader.real("alpha", 1.0f);
  attrs.beta = reader.real("beta", 1.0f);
  attrs.transpose_a = reader.integer("transA", 0) != 0;
  attrs.transpose_b = reader.integer("transB", 0) != 0;
  if (node.opset < 7) attrs.broadcast = reader.integer("broadcast", 0) != 0;
  attrs.c_is_optional = node.opset >= 11;
  return attrs;
}

struct Extents {
  int64_t M, N, K;  // K as A has it
  int64_t K_in_b;
};

// Requires: a and b have rank 2.
Extents extents_of(const GemmAttrs& attrs, const Shape& a, const Shape& b) {
  return {.M = a[attrs.transpose_a ? 1 : 0],
          .N = b[attrs.transpose_b ? 0 : 1],
          .K = a[attrs.transpose_a ? 0 : 1],
          .K_in_b = b[attrs.transpose_b ? 1 : 0]};
}

Status check_c(const GemmAttrs& attrs, const Inputs& in, const Shape& y) {
  if (!attrs.broadcast) return in.expect_shape(kC, y).with_context("attribute broadcast = 0");
  const auto common = broadcast_shapes(in.shape(kC), y);
  if (common && *common == y) return {};
  return invalid_model(in.describe(kC) + " does not broadcast to the shape " + y.to_string() +
                       " of the product");
}

Result<std::vector<TensorDesc>> infer(const GemmAttrs& attrs, std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, attrs.c_is_optional
                                                ? Inputs::check(inputs, {"A", "B"}, {"C"})
                                                : Inputs::check(inputs, {"A", "B", "C"}));
  TESSERA_RETURN_IF_ERROR(in.expect_float32());
  TESSERA_RETURN_IF_ERROR(in.expect_rank(kA, 2));
  TESSERA_RETURN_IF_ERROR(in.expect_rank(kB, 2));
  const Extents extents = extents_of(attrs, in.shape(kA), in.shape(kB));
  if (extents.K != extents.K_in_b) {
    return invalid_model(in.describe(kA) + (attrs.transpose_a ? " transposed" : "") + " and " +
                         in.describe(kB) + (attrs.transpose_b ? " transposed" : "") +
                         " do not fit together: " + std::to_string(extents.K) + " columns, " +
                         std::to_string(extents.K_in_b) + " rows");
  }
  const Shape y = {extents.M, extents.N};
  if (in.has(kC)) TESSERA_RETURN_IF_ERROR(check_c(attrs, in, y));
  return std::vector{TensorDesc{in.desc(kA).dtype, y}};
}

// Strides for the four kinds of C: one value per column, per row, for all, or a full matrix.
void set_bias_strides(const Shape& c, GemmProblem& problem) {
  const int64_t columns = c.rank() > 0 ? c[c.rank() - 1] : 1;
  const int64_t rows = c.rank() > 1 ? c[c.rank() - 2] : 1;
  problem.bias_stride_m = rows == 1 ? 0 : columns;
  const bool per_row = rows != 1 && columns == 1;
  problem.bias_stride_n = columns == problem.N && !per_row ? 1 : 0;
}

Result<Lowering> lower(const GemmAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  const Extents extents = extents_of(attrs, inputs[kA].desc.shape, inputs[kB].desc.shape);
  GemmProblem problem;
  problem.dtype = inputs[kA].desc.dtype;
  problem.M = extents.M;
  problem.N = extents.N;
  problem.K = extents.K;
  problem.transpose_a = attrs.transpose_a;
  problem.transpose_b = attrs.transpose_b;
  problem.lda = attrs.transpose_a ? extents.M : extents.K;
  problem.ldb = attrs.transpose_b ? extents.K : extents.N;
  problem.ldd = extents.N;
  problem.alpha = attrs.alpha;
  const bool has_c = inputs.size() > kC && inputs[kC].present && attrs.beta != 0.0f;
  if (has_c) {
    problem.epilogue.has_bias = true;
    problem.beta = attrs.beta;
    set_bias_strides(inputs[kC].desc.shape, problem);
  }
  return Lowering::compute(problem, {kA, kB, has_c ? kC : -1, -1});
}

}  // namespace

constinit const LayerDef gemm_layer = make_layer_def<GemmAttrs, parse, infer, lower>("Gemm");

}  // namespace tessera
