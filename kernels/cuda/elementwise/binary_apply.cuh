// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/vector.cuh"
#include "kernels/problem/elementwise.h"

namespace tessera::cuda {

// a (op) b. 16-bit floats are computed in float32 and rounded once more, which gives the bits of a
// single rounding (Figueroa, When is Double Rounding Innocuous?, 1995). Integers are computed in
// unsigned arithmetic, where overflow is defined: dividing the smallest by -1 overflows.
template <BinaryKind kKind, typename T>
__device__ __forceinline__ T apply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    const auto x = static_cast<Unsigned>(a);
    const auto y = static_cast<Unsigned>(b);
    if constexpr (kKind == BinaryKind::kAdd) return static_cast<T>(x + y);
    if constexpr (kKind == BinaryKind::kSub) return static_cast<T>(x - y);
    if constexpr (kKind == BinaryKind::kMul) return static_cast<T>(x * y);
    if constexpr (kKind == BinaryKind::kDiv) {
      if (b == 0) return 0;
      return b == -1 ? static_cast<T>(Unsigned{0} - x) : a / b;
    }
  } else {
    const float x = to_float(a);
    const float y = to_float(b);
    if constexpr (kKind == BinaryKind::kAdd) return from_float<T>(x + y);
    if constexpr (kKind == BinaryKind::kSub) return from_float<T>(x - y);
    if constexpr (kKind == BinaryKind::kMul) return from_float<T>(x * y);
    if constexpr (kKind == BinaryKind::kDiv) return from_float<T>(x / y);
  }
}

template <BinaryKind kKind, typename T, int kCount>
__device__ __forceinline__ Vector<T, kCount> apply_all(const Vector<T, kCount>& a,
                                                       const Vector<T, kCount>& b) {
  Vector<T, kCount> result;
#pragma unroll
  for (int i = 0; i < kCount; ++i) result.element[i] = apply<kKind>(a.element[i], b.element[i]);
  return result;
}

// One branch per vector, the same for all threads: not worth four times the machine code.
template <typename T, int kCount>
__device__ __forceinline__ Vector<T, kCount> apply(BinaryKind kind, const Vector<T, kCount>& a,
                                                   const Vector<T, kCount>& b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return apply_all<BinaryKind::kAdd>(a, b);
    case BinaryKind::kSub:
      return apply_all<BinaryKind::kSub>(a, b);
    case BinaryKind::kMul:
      return apply_all<BinaryKind::kMul>(a, b);
    default:
      return apply_all<BinaryKind::kDiv>(a, b);
  }
}

// kCount times the same number.
template <int kCount, typename T>
__device__ __forceinline__ Vector<T, kCount> splat(T x) {
  Vector<T, kCount> result;
#pragma unroll
  for (int i = 0; i < kCount; ++i) result.element[i] = x;
  return result;
}

// Calls function.operator()<T>() with the type of the elements. Requires: support_binary.
template <typename Function>
Status dispatch_binary_type(DType dtype, Function&& function) {
  if (dtype == DType::kI32) return function.template operator()<int32_t>();
  if (dtype == DType::kI64) return function.template operator()<int64_t>();
  return dispatch_float(dtype, function);
}

}  // namespace tessera::cuda
