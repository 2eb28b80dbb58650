// SPDX-License-Identifier: Apache-2.0
// cast: dst[i] = (to) src[i], one thread per element.
//
//   operands  all pairs of float32, float64, the integers and bool (not the 16-bit floats)
//   alignment that of the elements
//   values    float to integer truncates and saturates, NaN gives 0; integer to integer wraps; to
//             bool is != 0; to a float rounds to nearest even
//   deterministic
#include <limits>
#include <type_traits>

#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/elementwise.h"

namespace tessera::cuda {
namespace {

template <typename To, typename From>
__device__ __forceinline__ To convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
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

template <typename From, typename To>
__global__ void cast_kernel(const From* src, To* dst, int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    dst[i] = convert<To>(src[i]);
  }
}

// Calls function.operator()<T>() with the C++ type that stores `dtype`.
template <typename Function>
Status dispatch_dtype(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kF32:
      return function.template operator()<float>();
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
      return internal_error("cast was launched for a dtype that it refuses");
  }
}

bool is_16_bit_float(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

Support supports(const CastProblem& problem, const DeviceInfo&) {
  for (const DType dtype : {problem.from, problem.to}) {
    if (is_16_bit_float(dtype)) {
      return Support::no(std::string(dtype_name(dtype)) + " is not implemented on CUDA");
    }
  }
  return Support::yes();
}

Status launch_cast(const CastProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_dtype(problem.from, [&]<typename From>() {
    return dispatch_dtype(problem.to, [&]<typename To>() {
      return launch(cast_kernel<From, To>, elementwise_blocks(problem.count), kElementwiseThreads,
                    0, stream, input<From>(operands, CastProblem::kSrc), output<To>(operands),
                    problem.count);
    });
  });
}

}  // namespace

const KernelEntry cast_entry =
    stateless_kernel_entry<CastProblem, supports, launch_cast>("cast", "one thread per element");

}  // namespace tessera::cuda
