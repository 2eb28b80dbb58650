// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/cuda/epilogue.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/vector.cuh"
#include "kernels/problem/gemm.h"

namespace tessera::cuda {

// Operands of a GEMM kernel; bias and residual are null when the epilogue has none.
template <typename T>
struct GemmOperands {
  const T* a;
  const T* b;
  const T* bias;
  const T* residual;
  T* d;
};

template <typename T>
GemmOperands<T> gemm_operands(const Operands& operands) {
  return {input<T>(operands, GemmProblem::kA), input<T>(operands, GemmProblem::kB),
          input<T>(operands, GemmProblem::kBias), input<T>(operands, GemmProblem::kResidual),
          output<T>(operands)};
}

// A matrix operand seen through op(): element (row, column) of op(X) is at
// data[row * row_stride + column * column_stride].
template <typename T>
struct MatrixView {
  const T* data;
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
template <typename T>
__device__ __forceinline__ MatrixView<T> view_a(const GemmProblem& p, const GemmOperands<T>& g,
                                                int64_t batch) {
  const T* data = g.a + batch_offset(p, p.batch_stride_a, batch);
  return p.transpose_a ? MatrixView<T>{data, 1, p.lda} : MatrixView<T>{data, p.lda, 1};
}
template <typename T>
__device__ __forceinline__ MatrixView<T> view_b(const GemmProblem& p, const GemmOperands<T>& g,
                                                int64_t batch) {
  const T* data = g.b + batch_offset(p, p.batch_stride_b, batch);
  return p.transpose_b ? MatrixView<T>{data, 1, p.ldb} : MatrixView<T>{data, p.ldb, 1};
}

// The first element of the rows of op(A[batch]) from m on, and of the columns of op(B[batch]) from
// n on.
template <typename T>
__device__ __forceinline__ const T* tile_rows_a(const GemmProblem& p, const GemmOperands<T>& g,
                                                int64_t batch, int64_t m) {
  const MatrixView<T> a = view_a(p, g, batch);
  return a.data + m * a.row_stride;
}
template <typename T>
__device__ __forceinline__ const T* tile_columns_b(const GemmProblem& p, const GemmOperands<T>& g,
                                                   int64_t batch, int64_t n) {
  const MatrixView<T> b = view_b(p, g, batch);
  return b.data + n * b.column_stride;
}

// Calls function.operator()<transpose_a, transpose_b>() on the host.
template <typename Function>
Status dispatch_transposes(const GemmProblem& p, Function&& function) {
  if (p.transpose_a) {
    return p.transpose_b ? function.template operator()<true, true>()
                         : function.template operator()<true, false>();
  }
  return p.transpose_b ? function.template operator()<false, true>()
                       : function.template operator()<false, false>();
}

// activation(x + beta * bias + residual) for D[batch][m][n] at g.d[offset], where x is
// alpha * (A * B)[m][n].
template <ActivationKind kActivation, typename T>
__device__ __forceinline__ float gemm_epilogue(const GemmProblem& p, const GemmOperands<T>& g,
                                               int64_t offset, int64_t m, int64_t n, float x) {
  if (g.bias != nullptr) {
    x += p.beta * to_float(g.bias[m * p.bias_stride_m + n * p.bias_stride_n]);
  }
  if (g.residual != nullptr) x += to_float(g.residual[offset]);
  return activate<kActivation>(x, p.epilogue.activation);
}

// Stores D[batch][m][n] = activation(x + beta * bias + residual), where x is alpha * (A * B)[m][n].
template <ActivationKind kActivation, typename T>
__device__ __forceinline__ void store_gemm_output(const GemmProblem& p, const GemmOperands<T>& g,
                                                  int64_t batch, int64_t m, int64_t n, float x) {
  const int64_t offset = (batch * p.M + m) * p.ldd + n;
  g.d[offset] = from_float<T>(gemm_epilogue<kActivation>(p, g, offset, m, n, x));
}

// Computes and stores D[batch][m][n] with both operands from global memory.
template <ActivationKind kActivation>
__device__ __forceinline__ void compute_gemm_element(const GemmProblem& p,
                                                     const GemmOperands<float>& g, int64_t batch,
                                                     int64_t m, int64_t n) {
  const MatrixView<float> a = view_a(p, g, batch);  // (M, K)
  const MatrixView<float> b = view_b(p, g, batch);  // (K, N)
  const float* g_a = a.data + m * a.row_stride;
  const float* g_b = b.data + n * b.column_stride;
  float sum = 0.0f;
  for (int64_t k = 0; k < p.K; ++k) {
    sum += g_a[k * a.column_stride] * g_b[k * b.row_stride];
  }
  store_gemm_output<kActivation>(p, g, batch, m, n, p.alpha * sum);
}

}  // namespace tessera::cuda
