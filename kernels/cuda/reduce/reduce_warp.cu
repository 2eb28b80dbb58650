// SPDX-License-Identifier: Apache-2.0
// reduce_warp: one warp per result (four results where the axis has at most 32 elements): the lanes
// merge what they have by shuffles, without shared memory or barriers.
//
//   operands  float32, float16 or bfloat16; inner = 1, axis <= 8192, any outer
//   alignment that of the element; rows of whole vectors are read 16 bytes at a time
//   sum       float32: each lane its elements in order, then a butterfly over the lanes;
//             deterministic
#include "core/math.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/reduce/launch_reduce.h"
#include "kernels/cuda/reduce/reducer.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kThreads = 128;
  static constexpr int kShortAxis = 32;  // so short that 8 lanes are enough for a row
  static constexpr int kShortLanes = 8;
};

template <typename T, typename Reducer, int kLanes, int kCount>
__global__ __launch_bounds__(Config::kThreads) void reduce_warp_kernel(
    const __grid_constant__ ReduceProblem p, const T* src, T* dst) {
  constexpr int kRows = Config::kThreads / kLanes;  // of a block
  const int lane = threadIdx.x % kLanes;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRows + threadIdx.x / kLanes;
  // Lanes without a row stay: the shuffles name all lanes of the warp.
  const int64_t accesses = row < p.outer ? p.axis / kCount : 0;
  Reduced reduced =
      reduce_part<Reducer, kCount>(src + row * p.axis, kCount, lane, kLanes, accesses);
  reduced = merge_lanes<Reducer, kLanes>(reduced);
  if (lane == 0 && row < p.outer) dst[row] = from_float<T>(finish(p.kind, reduced, p.axis));
}

template <typename T, typename Reducer, int kLanes, int kCount>
Status launch_with(const ReduceProblem& problem, const Operands& operands, Stream& stream) {
  return launch(reduce_warp_kernel<T, Reducer, kLanes, kCount>,
                ceil_div<int64_t>(problem.outer, Config::kThreads / kLanes), Config::kThreads, 0,
                stream, problem, input<T>(operands, ReduceProblem::kSrc), output<T>(operands));
}

Support supports(const ReduceProblem& problem, const DeviceInfo&) {
  if (problem.inner != 1) {
    return Support::no("inner = " + std::to_string(problem.inner) +
                       ": the rows are not contiguous");
  }
  if (problem.axis > kLongestWarpRow) {
    return Support::no("axis = " + std::to_string(problem.axis) + " is more than " +
                       std::to_string(kLongestWarpRow));
  }
  return support_float(problem.dtype);
}

}  // namespace

Status launch_reduce_warp(const ReduceProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return dispatch_reducer(problem.kind, [&]<typename Reducer>() {
      if (problem.axis <= Config::kShortAxis) {
        return launch_with<T, Reducer, Config::kShortLanes, 1>(problem, operands, stream);
      }
      return has_vector_rows(problem, input<T>(operands, ReduceProblem::kSrc))
                 ? launch_with<T, Reducer, kWarpSize, kVectorElements<T>>(problem, operands, stream)
                 : launch_with<T, Reducer, kWarpSize, 1>(problem, operands, stream);
    });
  });
}

const KernelEntry reduce_warp_entry =
    stateless_kernel_entry<ReduceProblem, supports, launch_reduce_warp>(
        "reduce_warp", "one warp per result, merged by shuffles");

}  // namespace tessera::cuda
