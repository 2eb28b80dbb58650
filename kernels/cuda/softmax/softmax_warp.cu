// SPDX-License-Identifier: Apache-2.0
// softmax_warp: softmax or log-softmax of short rows, one warp per row (four rows where a row has
// at most 32 elements): the row stays in registers between its one read and its one write, and all
// communication is by shuffles.
//
//   operands  float32, float16 or bfloat16; axis <= 1024, any outer and inner
//   alignment that of the element; rows that are whole vectors of 16 bytes are read as such
//   sum       float32: each lane its elements in order, then a butterfly over the lanes;
//             deterministic
//   NaN       a NaN makes its row NaN, through the sum; so does a row of -infinity (its maximum
//             minus itself), as the formula of kernels/problem/softmax.h says
#include "core/math.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/support.h"
#include "kernels/cuda/vector.cuh"

namespace tessera::cuda {
namespace {

constexpr int kThreads = 128;
constexpr int kMaxAxis = 1024;

// kLanes lanes of a warp share a row; each has kAccesses accesses of kCount elements.
template <int Lanes, int Accesses, int Count>
struct Config {
  static constexpr int kLanes = Lanes;
  static constexpr int kAccesses = Accesses;
  static constexpr int kCount = Count;
  static constexpr int kPerLane = Accesses * Count;
  static constexpr int kRows = kThreads / Lanes;  // of a block
  static_assert(kWarpSize % Lanes == 0, "a row lies within a warp");
  static_assert(kPerLane <= 64, "a lane keeps its part of the row in registers");
};

template <int kLanes, typename Op>
__device__ __forceinline__ float lanes_reduce(float value, Op op) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    value = op(value, __shfl_xor_sync(kFullWarp, value, distance));
  }
  return value;
}

template <typename T, typename Config, bool kLog>
__global__ __launch_bounds__(kThreads) void softmax_warp_kernel(const T* src, T* dst, int64_t rows,
                                                                int axis, int64_t inner) {
  using Access = Vector<T, Config::kCount>;
  const int lane = threadIdx.x % Config::kLanes;
  const int64_t row =
      static_cast<int64_t>(blockIdx.x) * Config::kRows + threadIdx.x / Config::kLanes;
  // Lanes without a row stay: the shuffles name all lanes of the warp.
  const int end = row < rows ? axis : 0;
  const int64_t base = inner == 1 ? row * axis : row / inner * axis * inner + row % inner;
  const T* g_src = src + base;  // (axis), inner apart
  T* g_dst = dst + base;        // (axis), inner apart

  float r_row[Config::kPerLane];
#pragma unroll
  for (int i = 0; i < Config::kAccesses; ++i) {
    const int a = (lane + i * Config::kLanes) * Config::kCount;
    Access access;
    if (a < end) access = load_vector<Config::kCount>(g_src + a * inner);
#pragma unroll
    for (int j = 0; j < Config::kCount; ++j) {
      r_row[i * Config::kCount + j] = a < end ? to_float(access.element[j]) : Max::identity();
    }
  }
  float max = Max::identity();
#pragma unroll
  for (int i = 0; i < Config::kPerLane; ++i) max = fmaxf(max, r_row[i]);
  max = lanes_reduce<Config::kLanes>(max, Max());
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < Config::kPerLane; ++i) {
    const int a = (lane + i / Config::kCount * Config::kLanes) * Config::kCount;
    const float shifted = r_row[i] - max;
    const float exponential = expf(shifted);
    if (a < end) sum += exponential;
    r_row[i] = kLog ? shifted : exponential;
  }
  sum = lanes_reduce<Config::kLanes>(sum, Sum());
  const float scale = kLog ? logf(sum) : 1.0f / sum;
#pragma unroll
  for (int i = 0; i < Config::kAccesses; ++i) {
    const int a = (lane + i * Config::kLanes) * Config::kCount;
    Access access;
#pragma unroll
    for (int j = 0; j < Config::kCount; ++j) {
      const float x = r_row[i * Config::kCount + j];
      access.element[j] = from_float<T>(kLog ? x - scale : x * scale);
    }
    if (a < end) store_vector<Config::kCount>(g_dst + a * inner, access);
  }
}

template <typename T, typename Config>
Status launch_with(const SoftmaxProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t rows = problem.outer * problem.inner;
  const auto kernel =
      problem.log ? softmax_warp_kernel<T, Config, true> : softmax_warp_kernel<T, Config, false>;
  return launch(kernel, ceil_div<int64_t>(rows, Config::kRows), kThreads, 0, stream,
                input<T>(operands, SoftmaxProblem::kSrc), output<T>(operands), rows,
                static_cast<int>(problem.axis), problem.inner);
}

Support supports(const SoftmaxProblem& problem, const DeviceInfo&) {
  if (problem.axis > kMaxAxis) {
    return Support::no("axis = " + std::to_string(problem.axis) + " is more than " +
                       std::to_string(kMaxAxis));
  }
  return support_float(problem.dtype);
}

template <typename T>
Status launch_typed(const SoftmaxProblem& problem, const Operands& operands, Stream& stream) {
  constexpr int kVector = kVectorElements<T>;
  const int64_t axis = problem.axis;
  if (axis <= 8) return launch_with<T, Config<8, 1, 1>>(problem, operands, stream);
  if (axis <= 32) return launch_with<T, Config<8, 4, 1>>(problem, operands, stream);
  const bool vectors =
      problem.inner == 1 && axis % kVector == 0 &&
      are_aligned(kVectorBytes, input<T>(operands, SoftmaxProblem::kSrc), output<T>(operands));
  if (vectors && axis <= 8 * kWarpSize) {
    return launch_with<T, Config<kWarpSize, 8 / kVector, kVector>>(problem, operands, stream);
  }
  if (vectors) {
    return launch_with<T, Config<kWarpSize, 32 / kVector, kVector>>(problem, operands, stream);
  }
  if (axis <= 4 * kWarpSize) {
    return launch_with<T, Config<kWarpSize, 4, 1>>(problem, operands, stream);
  }
  return launch_with<T, Config<kWarpSize, 32, 1>>(problem, operands, stream);
}

Status launch_softmax_warp(const SoftmaxProblem& problem, const Operands& operands,
                           Stream& stream) {
  if (problem.axis == 0) return {};
  return dispatch_float(problem.dtype,
                        [&]<typename T>() { return launch_typed<T>(problem, operands, stream); });
}

}  // namespace

const KernelEntry softmax_warp_entry =
    stateless_kernel_entry<SoftmaxProblem, supports, launch_softmax_warp>(
        "softmax_warp", "one warp per row, the row in registers");

}  // namespace tessera::cuda
