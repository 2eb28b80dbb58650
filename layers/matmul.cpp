// SPDX-License-Identifier: Apache-2.0
//
// MatMul  Y = A * B, as numpy.matmul
//
// ONNX: the last two axes are matrices, those before are batch axes and broadcast. A vector A is a
// row (1, K), a vector B a column (K, 1); the axis of 1 is left out of Y again. The same at every
// opset. When B is one matrix, the batch axes of A become rows of a single product.
#include <algorithm>

#include "kernels/problem/gemm.h"
#include "layers/broadcast.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kA = 0;
constexpr int kB = 1;

struct MatMulAttrs {};

Result<MatMulAttrs> parse(AttributeReader& /*reader*/, const LayerNode& /*node*/) {
  return MatMulAttrs{};
}

// An operand with its vector or batch axes told apart.
struct Matrices {
  Shape batch;
  int64_t rows = 1;
  int64_t columns = 1;
};

// Requires: rank >= 1.
Matrices split_batch(const Shape& shape, bool vector_is_row) {
  if (shape.rank() == 1) {
    return vector_is_row ? Matrices{{}, 1, shape[0]} : Matrices{{}, shape[0], 1};
  }
  const size_t batch_rank = shape.rank() - 2;
  const auto begin = shape.extents().begin();
  return {Shape(std::vector<int64_t>(begin, begin + static_cast<int64_t>(batch_rank))),
          shape[batch_rank], shape[batch_rank + 1]};
}

Result<std::vector<TensorDesc>> infer(const MatMulAttrs& /*attrs*/,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"A", "B"}));
  TESSERA_RETURN_IF_ERROR(in.expect_float32());
  for (const int operand : {kA, kB}) {
    if (in.shape(operand).rank() == 0) {
      return invalid_model(in.describe(operand) +
                           ": expected a vector, a matrix or a batch of them");
    }
  }
  const Matrices a = split_batch(in.shape(kA), true);
  const Matrices b = split_batch(in.shape(kB), false);
  const auto batch = broadcast_shapes(a.batch, b.batch);
  if (a.columns != b.rows || !batch) {
    return invalid_model(
        in.describe(kA) + " and " + in.describe(kB) + " do not fit together: " +
        (batch ? std::to_string(a.columns) + " columns, " + std::to_string(b.rows) + " rows"
               : "their batch axes do not broadcast"));
  }
  std::vector<int64_t> shape = batch->extents();
  if (in.shape(kA).rank() > 1) shape.push_back(a.rows);
  if (in.shape(kB).rank() > 1) shape.push_back(b.columns);
  return std::vector{TensorDesc{in.desc(kA).dtype, Shape(std::move(shape))}};
}

Status set_batch(const Matrices& a, const Matrices& b, GemmProblem& problem) {
  const BroadcastDims dims = collapse_broadcast(a.batch, b.batch);
  if (dims.extent.size() > GemmProblem::kMaxBatchRank) {
    return unsupported("batch axes " + a.batch.to_string() + " and " + b.batch.to_string() +
                       " take more than " + std::to_string(GemmProblem::kMaxBatchRank) +
                       " dimensions");
  }
  problem.batch_rank = static_cast<int>(dims.extent.size());
  for (size_t i = 0; i < dims.extent.size(); ++i) {
    problem.batch_extent[i] = dims.extent[i];
    problem.batch_stride_a[i] = dims.stride_a[i] * problem.M * problem.K;
    problem.batch_stride_b[i] = dims.stride_b[i] * problem.K * problem.N;
  }
  return {};
}

Result<Lowering> lower(const MatMulAttrs& /*attrs*/, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  Matrices a = split_batch(inputs[kA].desc.shape, true);
  const Matrices b = split_batch(inputs[kB].desc.shape, false);
  if (b.batch.num_elements() == 1) {
    a.rows *= a.batch.num_elements();
    a.batch = {};
  }
  GemmProblem problem;
  problem.dtype = inputs[kA].desc.dtype;
  problem.M = a.rows;
  problem.N = b.columns;
  problem.K = a.columns;
  problem.lda = problem.K;
  problem.ldb = problem.N;
  problem.ldd = problem.N;
  TESSERA_RETURN_IF_ERROR(set_batch(a, b, problem));
  return Lowering::compute(problem, {kA, kB, -1, -1});
}

}  // namespace

constinit const LayerDef matmul_layer = make_layer_def<MatMulAttrs, parse, infer, lower>("MatMul");

}  // namespace tessera
