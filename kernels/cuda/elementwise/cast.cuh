// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/cuda/elementwise/cast.h"
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {

template <typename T>
constexpr bool kIsNarrowFloat = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

// (To) x as kernels/problem/elementwise.h says. 16-bit floats take the way through float32.
template <typename To, typename From>
__device__ __forceinline__ To convert(From x) {
  if constexpr (kIsNarrowFloat<From>) {
    return convert<To>(to_float(x));
  } else if constexpr (kIsNarrowFloat<To>) {
    return from_float<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // The largest integer may round up to the power of two above it, which is the first value that
    // does not fit: hence >=.
    constexpr auto kMin = static_cast<From>(std::numeric_limits<To>::min());
    constexpr auto kMax = static_cast<From>(std::numeric_limits<To>::max());
    if (!(x == x)) return To{0};
    if (x <= kMin) return std::numeric_limits<To>::min();
    if (x >= kMax) return std::numeric_limits<To>::max();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// The wider of the two types is read or written 16 bytes at once.
template <typename From, typename To>
struct CastMap {
  static constexpr int kElements = std::min(kVectorElements<From>, kVectorElements<To>);
  using Loaded = Vector<From, kElements>;

  const From* src;
  To* dst;

  __device__ Loaded load(int64_t first) const { return load_vector<kElements>(src + first); }
  __device__ void store(int64_t first, const Loaded& x) const {
    Vector<To, kElements> y;
#pragma unroll
    for (int i = 0; i < kElements; ++i) y.element[i] = convert<To>(x.element[i]);
    store_vector<kElements>(dst + first, y);
  }
  __device__ void one(int64_t i) const { dst[i] = convert<To>(src[i]); }
};

// Calls function.operator()<T>() with the C++ type that stores `dtype`.
template <typename Function>
Status dispatch_dtype(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kF64:
      return function.template operator()<double>();
    case DType::kI8:
      return function.template operator()<int8_t>();
    case DType::kU8:
      return function.template operator()<uint8_t>();
    case DType::kI16:
      return function.template operator()<int16_t>();
    case DType::kU16:
      return function.template operator()<uint16_t>();
    case DType::kI32:
      return function.template operator()<int32_t>();
    case DType::kU32:
      return function.template operator()<uint32_t>();
    case DType::kI64:
      return function.template operator()<int64_t>();
    case DType::kU64:
      return function.template operator()<uint64_t>();
    case DType::kBool:
      return function.template operator()<bool>();
    default:
      return dispatch_float(dtype, function);
  }
}

template <typename From>
Status launch_cast_from(const CastProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_dtype(problem.to, [&]<typename To>() {
    using Map = CastMap<From, To>;
    const Map map = {input<From>(operands, CastProblem::kSrc), output<To>(operands)};
    const bool aligned = are_aligned(Map::kElements * sizeof(From), map.src) &&
                         are_aligned(Map::kElements * sizeof(To), map.dst);
    return launch_map(map, aligned, problem.count, stream);
  });
}

}  // namespace tessera::cuda
