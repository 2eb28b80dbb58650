// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "core/dtype.h"
#include "core/status.h"

namespace tessera::cuda {

// The widest access of a thread.
constexpr int kVectorBytes = 16;
template <typename T>
constexpr int kVectorElements = kVectorBytes / static_cast<int>(sizeof(T));

// kCount consecutive elements that are loaded and stored at once, from an address that is a
// multiple of their size.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) Vector {
  static_assert(sizeof(T) * kCount <= kVectorBytes, "no wider access exists");
  T element[kCount];
};

template <int kCount, typename T>
__device__ __forceinline__ Vector<T, kCount> load_vector(const T* g_src) {
  return *reinterpret_cast<const Vector<T, kCount>*>(g_src);
}

template <int kCount, typename T>
__device__ __forceinline__ void store_vector(T* g_dst, const Vector<T, kCount>& vector) {
  *reinterpret_cast<Vector<T, kCount>*>(g_dst) = vector;
}

// Whether all pointers (null included) are multiples of `bytes`.
template <typename... Pointers>
bool are_aligned(size_t bytes, Pointers... pointers) {
  return ((reinterpret_cast<uintptr_t>(pointers) % bytes == 0) && ...);
}

// Elements of the three floating-point types that kernels compute in float32.
template <typename T>
__device__ __forceinline__ float to_float(T x) {
  if constexpr (std::is_same_v<T, __half>) return __half2float(x);
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __bfloat162float(x);
  if constexpr (std::is_same_v<T, float>) return x;
}

// Rounds to nearest even.
template <typename T>
__device__ __forceinline__ T from_float(float x) {
  if constexpr (std::is_same_v<T, __half>) return __float2half_rn(x);
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16_rn(x);
  if constexpr (std::is_same_v<T, float>) return x;
}

// Calls function.operator()<T>() with float, __half or __nv_bfloat16. Requires: support_float of
// kernels/cuda/support.h.
template <typename Function>
Status dispatch_float(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kF32:
      return function.template operator()<float>();
    case DType::kF16:
      return function.template operator()<__half>();
    case DType::kBF16:
      return function.template operator()<__nv_bfloat16>();
    default:
      return internal_error("a kernel was launched for a dtype that it refuses");
  }
}

}  // namespace tessera::cuda
