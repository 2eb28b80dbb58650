// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/cuda/epilogue.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/problem/gemm.h"

namespace tessera::cuda {

// Operands of a GEMM kernel; bias and residual are null when the epilogue has none.
struct GemmOperands {
  const float* a;
  const float* b;
  const float* bias;
  const float* residual;
  float* d;
};

inline GemmOperands gemm_operands(const Operands& operands) {
  return {input<float>(operands, GemmProblem::kA), input<float>(operands, GemmProblem::kB),
          input<float>(operands, GemmProblem::kBias),
          input<float>(operands, GemmProblem::kResidual), output<float>(operands)};
}

// A matrix operand seen through op(): element (row, column) of op(X) is at
// data[row * row_stride + column * column_stride].
struct MatrixView {
  const float* data;
  int64_t row_stride;
  int64_t column_stride;
};

// Offset of batch index `batch` in an operand with these strides.
__device__ __forceinline__ int64_t
batch_offset(const GemmProblem& p, const std::array<int64_t, GemmProblem::kMaxBatchRank>& strides,
             int64_t batch) {
  int64_t offset = 0;
  for (int axis = p.batch_rank - 1; axis >= 0; --axis) {
    offset += batch % p.batch_extent[axis] * strides[axis];
    batch /= p.batch_extent[axis];
  }
  return offset;
}

// op(A[batch]), (M, K), and op(B[batch]), (K, N).
__device__ __forceinline__ MatrixView view_a(const GemmProblem& p, const GemmOperands& g,
                                             int64_t batch) {
  const float* data = g.a + batch_offset(p, p.batch_stride_a, batch);
  return p.transpose_a ? MatrixView{data, 1, p.lda} : MatrixView{data, p.lda, 1};
}
__device__ __forceinline__ MatrixView view_b(const GemmProblem& p, const GemmOperands& g,
                                             int64_t batch) {
  const float* data = g.b + batch_offset(p, p.batch_stride_b, batch);
  return p.transpose_b ? MatrixView{data, 1, p.ldb} : MatrixView{data, p.ldb, 1};
}

// activation(x + beta * bias + residual) for D[batch][m][n] at g.d[offset], where x is
// alpha * (A * B)[m][n].
template <ActivationKind kActivation>
__device__ __forceinline__ float gemm_epilogue(const GemmProblem& p, const GemmOperands& g,
                                               int64_t offset, int64_t m, int64_t n, float x) {
  if (g.bias != nullptr) x += p.beta * g.bias[m * p.bias_stride_m + n * p.bias_stride_n];
  if (g.residual != nullptr) x += g.residual[offset];
  return activate<kActivation>(x, p.epilogue.activation);
}

// Stores D[batch][m][n] = activation(x + beta * bias + residual), where x is alpha * (A * B)[m][n].
template <ActivationKind kActivation>
__device__ __forceinline__ void store_gemm_output(const GemmProblem& p, const GemmOperands& g,
                                                  int64_t batch, int64_t m, int64_t n, float x) {
  const int64_t offset = (batch * p.M + m) * p.ldd + n;
  g.d[offset] = gemm_epilogue<kActivation>(p, g, offset, m, n, x);
}

// Computes and stores D[batch][m][n] with both operands from global memory.
template <ActivationKind kActivation>
__device__ __forceinline__ void compute_gemm_element(const GemmProblem& p, const GemmOperands& g,
                                                     int64_t batch, int64_t m, int64_t n) {
  const MatrixView a = view_a(p, g, batch);  // (M, K)
  const MatrixView b = view_b(p, g, batch);  // (K, N)
  const float* g_a = a.data + m * a.row_stride;
  const float* g_b = b.data + n * b.column_stride;
  float sum = 0.0f;
  for (int64_t k = 0; k < p.K; ++k) {
    sum += g_a[k * a.column_stride] * g_b[k * b.row_stride];
  }
  store_gemm_output<kActivation>(p, g, batch, m, n, p.alpha * sum);
}

}  // namespace tessera::cuda
