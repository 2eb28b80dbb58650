// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string_view>

#include "core/dtype.h"
#include "kernels/problem/epilogue.h"

namespace tessera {

// D[b] = activation(alpha * op(A[b]) * op(B[b]) + beta * bias + residual[b]) for every batch index
// b
//
//   op(A) is (M, K), op(B) is (K, N), D and residual are (M, N), all row-major.
//   transpose_a: A is stored (K, M); transpose_b: B is stored (N, K), as ONNX stores weights.
//   lda, ldb, ldd: elements from one stored row to the next.
//   allow_tf32 (float32 only): a kernel may round the elements of A and B to TF32, 10 bits after
//   the leading one, before it multiplies them; sums stay float32.
//   bias element (m, n) is at bias[m * bias_stride_m + n * bias_stride_n]: strides (0, 1) for one
//   value per column, (1, 0) per row, (0, 0) for a scalar, (ldc, 1) for a full matrix.
//   alpha and beta are factors like any other, also when they are 0: unlike in BLAS, NaN and
//   infinities of A, B and bias then make D NaN.
//
// A batch index runs over `batch` = batch_extent[0] * ... * batch_extent[batch_rank - 1], last
// dimension fastest; an operand's offset is the sum of index * stride, with stride 0 where it is
// broadcast. D and the residual are dense: matrix b starts at b * M * ldd.
struct GemmProblem {
  static constexpr std::string_view kFamily = "gemm";
  static constexpr int kMaxBatchRank = 6;
  // Operands of a kernel, in order. kBias and kResidual are null when the epilogue has none.
  static constexpr int kA = 0;
  static constexpr int kB = 1;
  static constexpr int kBias = 2;
  static constexpr int kResidual = 3;

  DType dtype = DType::kF32;
  bool allow_tf32 = false;
  int64_t M = 0;
  int64_t N = 0;
  int64_t K = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldd = 0;
  float alpha = 1.0f;
  float beta = 1.0f;
  int64_t bias_stride_m = 0;
  int64_t bias_stride_n = 1;
  Epilogue epilogue;

  int batch_rank = 0;
  std::array<int64_t, kMaxBatchRank> batch_extent = {};
  std::array<int64_t, kMaxBatchRank> batch_stride_a = {};
  std::array<int64_t, kMaxBatchRank> batch_stride_b = {};

  [[nodiscard]] int64_t batch() const {
    int64_t product = 1;
    for (int i = 0; i < batch_rank; ++i) product *= batch_extent[i];
    return product;
  }
  bool operator==(const GemmProblem&) const = default;
};

std::ostream& operator<<(std::ostream& out, const GemmProblem& problem);

}  // namespace tessera
