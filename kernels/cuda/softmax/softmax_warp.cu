// SPDX-License-Identifier: Apache-2.0
// softmax_warp: softmax or log-softmax of contiguous rows, one warp per row: the row stays in
// registers between its one read and its one write, and all communication is by shuffles.
//
//   operands  float32, inner = 1, axis <= 1024
//   alignment 4 bytes
//   sum       float32: lane l adds l, l + 32, ..., then a butterfly over the lanes; deterministic
//   NaN       a NaN makes its row NaN, through the sum; so does a row of -infinity (its maximum
//   minus
//             itself), as the formula of kernels/problem/softmax.h says
#include "core/math.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kWarps = 4;
  static constexpr int kThreads = kWarps * kWarpSize;
  static constexpr int kMaxPerLane = 32;
  static constexpr int kMaxAxis = kMaxPerLane * kWarpSize;
  static_assert(kMaxPerLane <= 64, "a lane keeps its part of the row in registers");
};

// kPerLane elements a lane: the row has at most 32 * kPerLane.
template <int kPerLane, bool kLog>
__global__ __launch_bounds__(Config::kThreads) void softmax_warp_kernel(const float* src,
                                                                        float* dst, int64_t rows,
                                                                        int axis) {
  const int lane = threadIdx.x % kWarpSize;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * Config::kWarps + threadIdx.x / kWarpSize;
  if (row >= rows) return;                // a whole warp leaves: the shuffles below stay complete
  const float* g_src = src + row * axis;  // (axis)
  float* g_dst = dst + row * axis;        // (axis)

  float r_row[kPerLane];  // (axis / 32)
  float max = Max::identity();
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int a = lane + i * kWarpSize;
    r_row[i] = a < axis ? g_src[a] : Max::identity();
    max = fmaxf(max, r_row[i]);
  }
  max = warp_reduce(max, Max());
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const float shifted = r_row[i] - max;
    const float exponential = expf(shifted);
    if (lane + i * kWarpSize < axis) sum += exponential;
    r_row[i] = kLog ? shifted : exponential;
  }
  sum = warp_reduce(sum, Sum());
  const float log_sum = kLog ? logf(sum) : 0.0f;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    const int a = lane + i * kWarpSize;
    if (a < axis) g_dst[a] = kLog ? r_row[i] - log_sum : r_row[i] / sum;
  }
}

template <int kPerLane>
Status launch_with(const SoftmaxProblem& problem, const Operands& operands, Stream& stream) {
  const auto kernel =
      problem.log ? softmax_warp_kernel<kPerLane, true> : softmax_warp_kernel<kPerLane, false>;
  return launch(kernel, ceil_div<int64_t>(problem.outer, Config::kWarps), Config::kThreads, 0,
                stream, input<float>(operands, SoftmaxProblem::kSrc), output<float>(operands),
                problem.outer, static_cast<int>(problem.axis));
}

Support supports(const SoftmaxProblem& problem, const DeviceInfo&) {
  if (problem.inner != 1) {
    return Support::no("inner = " + std::to_string(problem.inner) +
                       ": the rows are not contiguous");
  }
  if (problem.axis > Config::kMaxAxis) {
    return Support::no("axis = " + std::to_string(problem.axis) + " is more than " +
                       std::to_string(Config::kMaxAxis));
  }
  return support_float32(problem.dtype);
}

Status launch_softmax_warp(const SoftmaxProblem& problem, const Operands& operands,
                           Stream& stream) {
  if (problem.axis == 0) return {};
  const auto per_lane = ceil_div<int64_t>(problem.axis, kWarpSize);
  if (per_lane <= 1) return launch_with<1>(problem, operands, stream);
  if (per_lane <= 4) return launch_with<4>(problem, operands, stream);
  if (per_lane <= 16) return launch_with<16>(problem, operands, stream);
  return launch_with<Config::kMaxPerLane>(problem, operands, stream);
}

}  // namespace

const KernelEntry softmax_warp_entry =
    stateless_kernel_entry<SoftmaxProblem, supports, launch_softmax_warp>(
        "softmax_warp", "one warp per row, the row in registers");

}  // namespace tessera::cuda
