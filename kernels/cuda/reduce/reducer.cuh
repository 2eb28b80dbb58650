// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "core/status.h"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/vector.cuh"
#include "kernels/problem/reduce.h"

namespace tessera::cuda {

// What has become of the elements seen so far. `scale` is the maximum that a LogSumExp subtracts;
// the other kinds leave it alone.
struct Reduced {
  float value;
  float scale;
};

// A Reducer is identity(), add() an element and merge() two parts, in that order.

enum class Term { kItself, kMagnitude, kSquare };

template <Term kTerm>
struct SumReducer {
  __device__ static Reduced identity() { return {0.0f, 0.0f}; }
  __device__ static Reduced add(Reduced sum, float x) {
    if constexpr (kTerm == Term::kItself) return {sum.value + x, 0.0f};
    if constexpr (kTerm == Term::kMagnitude) return {sum.value + fabsf(x), 0.0f};
    if constexpr (kTerm == Term::kSquare) return {sum.value + x * x, 0.0f};
  }
  __device__ static Reduced merge(Reduced a, Reduced b) { return {a.value + b.value, 0.0f}; }
};

struct ProductReducer {
  __device__ static Reduced identity() { return {1.0f, 0.0f}; }
  __device__ static Reduced add(Reduced product, float x) { return {product.value * x, 0.0f}; }
  __device__ static Reduced merge(Reduced a, Reduced b) { return {a.value * b.value, 0.0f}; }
};

// kSign 1: the largest; -1: the smallest. Nothing is greater or smaller than a NaN.
template <int kSign>
struct ExtremeReducer {
  __device__ static Reduced identity() {
    return {-kSign * std::numeric_limits<float>::infinity(), 0.0f};
  }
  __device__ static Reduced add(Reduced extreme, float x) {
    const bool further = kSign > 0 ? x > extreme.value : x < extreme.value;
    return {further || isnan(x) ? x : extreme.value, 0.0f};
  }
  __device__ static Reduced merge(Reduced a, Reduced b) { return add(a, b.value); }
};

// sum of exp(x - shift), kept right as the maximum grows (Milakov and Gimelshein, Online normalizer
// calculation for softmax, 2018).
struct LogSumExpReducer {
  __device__ static float shift_of(float max) { return isinf(max) ? 0.0f : max; }
  __device__ static Reduced identity() { return {0.0f, -std::numeric_limits<float>::infinity()}; }
  __device__ static Reduced add(Reduced sum, float x) { return merge(sum, {1.0f, x}); }
  __device__ static Reduced merge(Reduced a, Reduced b) {
    const float max = fmaxf(a.scale, b.scale);
    return {below(a, max) + below(b, max), max};
  }
  // No element: nothing, whatever the maximum.
  __device__ static float below(Reduced sum, float max) {
    return sum.value == 0.0f ? 0.0f : sum.value * expf(sum.scale - shift_of(max));
  }
};

// The result of `axis` elements.
__device__ __forceinline__ float finish(ReduceKind kind, Reduced reduced, int64_t axis) {
  if (kind == ReduceKind::kMean) return reduced.value / static_cast<float>(axis);
  if (kind == ReduceKind::kL2) return sqrtf(reduced.value);
  if (kind != ReduceKind::kLogSumExp) return reduced.value;
  return LogSumExpReducer::shift_of(reduced.scale) + logf(reduced.value);
}

// Calls function.operator()<Reducer>().
template <typename Function>
Status dispatch_reducer(ReduceKind kind, Function&& function) {
  switch (kind) {
    case ReduceKind::kSum:
    case ReduceKind::kMean:
      return function.template operator()<SumReducer<Term::kItself>>();
    case ReduceKind::kL1:
      return function.template operator()<SumReducer<Term::kMagnitude>>();
    case ReduceKind::kL2:
    case ReduceKind::kSumSquare:
      return function.template operator()<SumReducer<Term::kSquare>>();
    case ReduceKind::kMax:
      return function.template operator()<ExtremeReducer<1>>();
    case ReduceKind::kMin:
      return function.template operator()<ExtremeReducer<-1>>();
    case ReduceKind::kProd:
      return function.template operator()<ProductReducer>();
    case ReduceKind::kLogSumExp:
      return function.template operator()<LogSumExpReducer>();
  }
  return internal_error("unknown reduction");
}

// Merges what kLanes neighbouring lanes have; the result is in each of them. All lanes of the warp
// must call it.
template <typename Reducer, int kLanes>
__device__ __forceinline__ Reduced merge_lanes(Reduced reduced) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    const Reduced other = {__shfl_xor_sync(kFullWarp, reduced.value, distance),
                           __shfl_xor_sync(kFullWarp, reduced.scale, distance)};
    reduced = Reducer::merge(reduced, other);
  }
  return reduced;
}

// Merges what all kThreads threads of the block have; the result is in thread 0. s_warps is shared
// memory that is used for nothing else.
template <typename Reducer, int kThreads>
__device__ __forceinline__ Reduced merge_block(Reduced reduced,
                                               Reduced (&s_warps)[kThreads / kWarpSize]) {
  static_assert(kThreads / kWarpSize <= kWarpSize, "one warp merges what the warps have");
  const int lane = threadIdx.x % kWarpSize;
  reduced = merge_lanes<Reducer, kWarpSize>(reduced);
  if (lane == 0) s_warps[threadIdx.x / kWarpSize] = reduced;
  __syncthreads();
  if (threadIdx.x >= kWarpSize) return reduced;
  reduced = lane < kThreads / kWarpSize ? s_warps[lane] : Reducer::identity();
  return merge_lanes<Reducer, kWarpSize>(reduced);
}

// What a thread makes of the accesses first, first + step, ... below `accesses` of a row whose
// access i, kCount elements, is at g_row + i * stride. Four are on their way at once.
template <typename Reducer, int kCount, typename T>
__device__ __forceinline__ Reduced reduce_part(const T* g_row, int64_t stride, int64_t first,
                                               int64_t step, int64_t accesses) {
  constexpr int kUnroll = 4;
  Reduced reduced = Reducer::identity();
  for (; first < accesses; first += step * kUnroll) {
    Vector<T, kCount> r_part[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int64_t i = first + u * step;
      if (i < accesses) r_part[u] = load_vector<kCount>(g_row + i * stride);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (first + u * step >= accesses) break;
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        reduced = Reducer::add(reduced, to_float(r_part[u].element[j]));
      }
    }
  }
  return reduced;
}

// Whether contiguous rows of `axis` elements can be read as vectors of 16 bytes.
template <typename T>
bool has_vector_rows(const ReduceProblem& problem, const T* src) {
  return problem.inner == 1 && problem.axis % kVectorElements<T> == 0 &&
         are_aligned(kVectorBytes, src);
}

}  // namespace tessera::cuda
