// SPDX-License-Identifier: Apache-2.0
// binary: dst = a (op) b with broadcasting, one thread per element of dst. dst may be an operand
// that is not broadcast.
//
//   operands  float32, int32 or int64, rank <= 8, any strides (0 where broadcast)
//   alignment that of the element
//   integers  wrap around on overflow; division truncates towards zero, by zero it gives 0
//   deterministic
#include <type_traits>

#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/elementwise.h"

namespace tessera::cuda {
namespace {

__device__ __forceinline__ float apply(BinaryKind kind, float a, float b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return a + b;
    case BinaryKind::kSub:
      return a - b;
    case BinaryKind::kMul:
      return a * b;
    case BinaryKind::kDiv:
      return a / b;
  }
  return 0.0f;
}

// In unsigned arithmetic, where overflow is defined; dividing the smallest integer by -1 overflows.
template <typename T>
requires std::is_integral_v<T> __device__ __forceinline__ T apply(BinaryKind kind, T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto x = static_cast<Unsigned>(a);
  const auto y = static_cast<Unsigned>(b);
  switch (kind) {
    case BinaryKind::kAdd:
      return static_cast<T>(x + y);
    case BinaryKind::kSub:
      return static_cast<T>(x - y);
    case BinaryKind::kMul:
      return static_cast<T>(x * y);
    case BinaryKind::kDiv:
      if (b == 0) return 0;
      return b == -1 ? static_cast<T>(Unsigned{0} - x) : a / b;
  }
  return 0;
}

// kDense: no operand is broadcast, so all three have element i at i.
template <typename T, bool kDense>
__global__ void binary_kernel(const __grid_constant__ BinaryProblem p, const T* a, const T* b,
                              T* dst, int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    int64_t offset_a = i;
    int64_t offset_b = i;
    if constexpr (!kDense) {
      offset_a = 0;
      offset_b = 0;
      int64_t rest = i;
      for (int axis = p.rank - 1; axis >= 0; --axis) {
        const int64_t index = rest % p.extent[axis];
        rest /= p.extent[axis];
        offset_a += index * p.stride_a[axis];
        offset_b += index * p.stride_b[axis];
      }
    }
    dst[i] = apply(p.kind, a[offset_a], b[offset_b]);
  }
}

Support supports(const BinaryProblem& problem, const DeviceInfo&) {
  switch (problem.dtype) {
    case DType::kF32:
    case DType::kI32:
    case DType::kI64:
      return Support::yes();
    default:
      return Support::no(std::string(dtype_name(problem.dtype)) +
                         " is not float32, int32 or int64");
  }
}

template <typename T>
Status launch_with(const BinaryProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t count = problem.count();
  const auto kernel = problem.is_dense() ? binary_kernel<T, true> : binary_kernel<T, false>;
  return launch(kernel, elementwise_blocks(count), kElementwiseThreads, 0, stream, problem,
                input<T>(operands, BinaryProblem::kA), input<T>(operands, BinaryProblem::kB),
                output<T>(operands), count);
}

Status launch_binary(const BinaryProblem& problem, const Operands& operands, Stream& stream) {
  switch (problem.dtype) {
    case DType::kF32:
      return launch_with<float>(problem, operands, stream);
    case DType::kI32:
      return launch_with<int32_t>(problem, operands, stream);
    case DType::kI64:
      return launch_with<int64_t>(problem, operands, stream);
    default:
      return internal_error("binary was launched for a dtype that it refuses");
  }
}

}  // namespace

const KernelEntry binary_entry = stateless_kernel_entry<BinaryProblem, supports, launch_binary>(
    "binary", "one thread per element, operands by their strides");

}  // namespace tessera::cuda
