// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/vector.cuh"

// The epilogue of a GEMM kernel whose threads hold many results: one pass over all of a thread's
// registers for each thing that the epilogue has, and one branch in front of each pass. An epilogue
// that is asked about every result anew costs as much as many rounds of the loop over K.
//
// Results is a thread's view of its registers:
//   kRows, kColumns   how many rows and columns of D it has results in
//   kVector           how many neighbouring columns it has at least, hence stores at once
//   row(i), column(j) distances from its first row and column, known when compiled
//   at(i, j)          the register

namespace tessera::cuda {

// Registers (Rows, Columns) that are neighbours in D as well.
template <int Rows, int Columns>
struct ThreadResults {
  static constexpr int kRows = Rows;
  static constexpr int kColumns = Columns;
  static constexpr int kVector = 4;
  static_assert(Columns % kVector == 0, "stored four at a time");

  float (&r_acc)[Rows][Columns];

  __device__ __forceinline__ static constexpr int row(int i) { return i; }
  __device__ __forceinline__ static constexpr int column(int j) { return j; }
  __device__ __forceinline__ float& at(int i, int j) const { return r_acc[i][j]; }
};

// Where a thread's results lie in D[batch].
struct ResultPlace {
  int64_t m, n;
  int64_t offset;                   // of the first in D and in the residual
  int64_t rows_left, columns_left;  // of D from the first on

  __device__ __forceinline__ ResultPlace(const GemmProblem& p, const BlockPosition& block, int row,
                                         int column)
      : m(block.m + row),
        n(block.n + column),
        offset((block.batch * p.M + m) * p.ldd + n),
        rows_left(p.M - m),
        columns_left(p.N - n) {}

  template <typename Results>
  [[nodiscard]] __device__ __forceinline__ bool inside(int i, int j) const {
    return Results::row(i) < rows_left && Results::column(j) < columns_left;
  }

  // Whether all results are inside and rows of vectors lie at multiples of their size.
  template <typename Results, typename T>
  [[nodiscard]] __device__ __forceinline__ bool whole(const GemmProblem& p,
                                                      const T* g_first) const {
    return inside<Results>(Results::kRows - 1, Results::kColumns - 1) &&
           p.ldd % Results::kVector == 0 &&
           reinterpret_cast<uintptr_t>(g_first) % (Results::kVector * sizeof(T)) == 0;
  }
};

// function(i, j) for every kStep-th column of every row.
template <typename Results, int kStep = 1, typename Function>
__device__ __forceinline__ void for_each_result(Function&& function) {
#pragma unroll
  for (int i = 0; i < Results::kRows; ++i) {
#pragma unroll
    for (int j = 0; j < Results::kColumns; j += kStep) function(i, j);
  }
}

template <typename Results, typename T>
__device__ __forceinline__ void add_bias(const GemmProblem& p, const T* g_bias,
                                         const ResultPlace& place, const Results& r_results) {
  const T* g_first = g_bias + place.m * p.bias_stride_m + place.n * p.bias_stride_n;
  if (p.bias_stride_m == 0) {  // the same for all rows: one load a column
#pragma unroll
    for (int j = 0; j < Results::kColumns; ++j) {
      if (Results::column(j) >= place.columns_left) continue;
      const float bias = p.beta * to_float(g_first[Results::column(j) * p.bias_stride_n]);
#pragma unroll
      for (int i = 0; i < Results::kRows; ++i) r_results.at(i, j) += bias;
    }
    return;
  }
  for_each_result<Results>([&](int i, int j) {
    if (!place.inside<Results>(i, j)) return;
    r_results.at(i, j) +=
        p.beta *
        to_float(g_first[Results::row(i) * p.bias_stride_m + Results::column(j) * p.bias_stride_n]);
  });
}

template <typename Results, typename T>
__device__ __forceinline__ void add_residual(const GemmProblem& p, const T* g_residual,
                                             const ResultPlace& place, const Results& r_results) {
  constexpr int kVector = Results::kVector;
  const T* g_first = g_residual + place.offset;
  if (place.whole<Results>(p, g_first)) {
    for_each_result<Results, kVector>([&](int i, int j) {
      const auto residual =
          load_vector<kVector>(g_first + Results::row(i) * p.ldd + Results::column(j));
#pragma unroll
      for (int v = 0; v < kVector; ++v) r_results.at(i, j + v) += to_float(residual.element[v]);
    });
    return;
  }
  for_each_result<Results>([&](int i, int j) {
    if (!place.inside<Results>(i, j)) return;
    r_results.at(i, j) += to_float(g_first[Results::row(i) * p.ldd + Results::column(j)]);
  });
}

template <ActivationKind kKind, typename Results>
__device__ __forceinline__ void activate_each(const Activation& activation,
                                              const Results& r_results) {
  for_each_result<Results>(
      [&](int i, int j) { r_results.at(i, j) = activate<kKind>(r_results.at(i, j), activation); });
}

template <typename Results>
__device__ __forceinline__ void activate_results(const Activation& activation,
                                                 const Results& r_results) {
  switch (activation.kind) {
    case ActivationKind::kNone:
      return;
    case ActivationKind::kRelu:
      return activate_each<ActivationKind::kRelu>(activation, r_results);
    case ActivationKind::kLeakyRelu:
      return activate_each<ActivationKind::kLeakyRelu>(activation, r_results);
    case ActivationKind::kClip:
      return activate_each<ActivationKind::kClip>(activation, r_results);
    default:
      break;
  }
  // Long functions, of which one copy must do: by way of local memory, since registers cannot be
  // counted through.
  float results[Results::kRows * Results::kColumns];
  for_each_result<Results>(
      [&](int i, int j) { results[i * Results::kColumns + j] = r_results.at(i, j); });
#pragma unroll 1
  for (float& x : results) x = activate<kActivationAtRunTime>(x, activation);
  for_each_result<Results>(
      [&](int i, int j) { r_results.at(i, j) = results[i * Results::kColumns + j]; });
}

template <typename Results, typename T>
__device__ __forceinline__ void write_results(const GemmProblem& p, T* g_d,
                                              const ResultPlace& place, const Results& r_results) {
  constexpr int kVector = Results::kVector;
  T* g_first = g_d + place.offset;
  if (place.whole<Results>(p, g_first)) {
    for_each_result<Results, kVector>([&](int i, int j) {
      Vector<T, kVector> vector;
#pragma unroll
      for (int v = 0; v < kVector; ++v) vector.element[v] = from_float<T>(r_results.at(i, j + v));
      store_vector(g_first + Results::row(i) * p.ldd + Results::column(j), vector);
    });
    return;
  }
  for_each_result<Results>([&](int i, int j) {
    if (!place.inside<Results>(i, j)) return;
    g_first[Results::row(i) * p.ldd + Results::column(j)] = from_float<T>(r_results.at(i, j));
  });
}

// Stores D = activation(alpha * x + beta * bias + residual) from the products x in a thread's
// registers, the first of which is at (row, column) of the block's tile; those outside D are left
// out. The registers are overwritten.
template <typename Results, typename T>
__device__ __forceinline__ void store_gemm_results(const GemmProblem& p, const GemmOperands<T>& g,
                                                   const BlockPosition& block, int row, int column,
                                                   const Results& r_results) {
  const ResultPlace place(p, block, row, column);
  if (p.alpha != 1.0f) {
    for_each_result<Results>([&](int i, int j) { r_results.at(i, j) *= p.alpha; });
  }
  if (g.bias != nullptr) add_bias(p, g.bias, place, r_results);
  if (g.residual != nullptr) add_residual(p, g.residual, place, r_results);
  activate_results(p.epilogue.activation, r_results);
  write_results(p, g.d, place, r_results);
}

}  // namespace tessera::cuda
