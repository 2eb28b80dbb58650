// SPDX-License-Identifier: Apache-2.0
// softmax_columns: softmax or log-softmax along an axis that is not the innermost. A block takes
// neighbouring rows, so that a warp reads neighbouring addresses; its warps share the axis and keep
// maximum and sum as they go, so that the rows are read twice, the second time mostly from the
// cache.
//
//   operands  float32, float16 or bfloat16; inner > 1, any outer and axis
//   alignment that of the element; where inner is a multiple of 4, a thread takes four rows at once
//   sum       float32: each warp its elements in order, then the warps in order; deterministic
//   NaN       a NaN makes its row NaN, through the sum; so does a row of -infinity (its maximum
//             minus itself), as the formula of kernels/problem/softmax.h says
#include "core/math.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/softmax/running_softmax.cuh"
#include "kernels/cuda/support.h"
#include "kernels/cuda/vector.cuh"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kWarps = 8;
  static constexpr int kWide = 4;  // rows of a thread where inner allows
};

// kCount rows of a thread: they are neighbours in memory.
template <typename T, int kCount>
__global__ __launch_bounds__(Config::kWarps* kWarpSize) void softmax_columns_kernel(
    const T* src, T* dst, int64_t rows, int64_t axis, int64_t inner, bool log) {
  __shared__ float s_max[Config::kWarps][kCount][kWarpSize];
  __shared__ float s_sum[Config::kWarps][kCount][kWarpSize];
  const int lane = threadIdx.x;
  const int warp = threadIdx.y;
  const int64_t row = (static_cast<int64_t>(blockIdx.x) * kWarpSize + lane) * kCount;
  const int64_t end = row < rows ? axis : 0;
  const int64_t base = row / inner * axis * inner + row % inner;
  const T* g_src = src + base;  // (axis, kCount), inner apart
  T* g_dst = dst + base;        // (axis, kCount), inner apart

  RunningSoftmax running[kCount];
#pragma unroll 4
  for (int64_t a = warp; a < end; a += Config::kWarps) {
    const auto access = load_vector<kCount>(g_src + a * inner);
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const float x[1] = {to_float(access.element[j])};
      running[j].add(x);
    }
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    s_max[warp][j][lane] = running[j].max;
    s_sum[warp][j][lane] = running[j].sum;
  }
  __syncthreads();
  float max[kCount];
  float scale[kCount];
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    max[j] = Max::identity();
    for (int w = 0; w < Config::kWarps; ++w) max[j] = fmaxf(max[j], s_max[w][j][lane]);
    float sum = 0.0f;
    for (int w = 0; w < Config::kWarps; ++w) {
      sum += RunningSoftmax{s_max[w][j][lane], s_sum[w][j][lane]}.sum_below(max[j]);
    }
    scale[j] = log ? logf(sum) : 1.0f / sum;
  }
#pragma unroll 4
  for (int64_t a = warp; a < end; a += Config::kWarps) {
    auto access = load_vector<kCount>(g_src + a * inner);
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const float shifted = to_float(access.element[j]) - max[j];
      access.element[j] = from_float<T>(log ? shifted - scale[j] : expf(shifted) * scale[j]);
    }
    store_vector<kCount>(g_dst + a * inner, access);
  }
}

Support supports(const SoftmaxProblem& problem, const DeviceInfo&) {
  if (problem.inner == 1) return Support::no("inner = 1: the rows are contiguous");
  return support_float(problem.dtype);
}

template <typename T, int kCount>
Status launch_with(const SoftmaxProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t rows = problem.outer * problem.inner;
  return launch(softmax_columns_kernel<T, kCount>, ceil_div<int64_t>(rows, kWarpSize * kCount),
                dim3(kWarpSize, Config::kWarps), 0, stream,
                input<T>(operands, SoftmaxProblem::kSrc), output<T>(operands), rows, problem.axis,
                problem.inner, problem.log);
}

Status launch_softmax_columns(const SoftmaxProblem& problem, const Operands& operands,
                              Stream& stream) {
  if (problem.axis == 0) return {};
  return dispatch_float(problem.dtype, [&]<typename T>() {
    const bool wide = problem.inner % Config::kWide == 0 &&
                      are_aligned(Config::kWide * sizeof(T),
                                  input<T>(operands, SoftmaxProblem::kSrc), output<T>(operands));
    return wide ? launch_with<T, Config::kWide>(problem, operands, stream)
                : launch_with<T, 1>(problem, operands, stream);
  });
}

}  // namespace

const KernelEntry softmax_columns_entry =
    stateless_kernel_entry<SoftmaxProblem, supports, launch_softmax_columns>(
        "softmax_columns", "a warp reads neighbouring rows, maximum and sum in one pass");

}  // namespace tessera::cuda
