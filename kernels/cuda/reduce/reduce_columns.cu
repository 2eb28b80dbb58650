// SPDX-License-Identifier: Apache-2.0
// reduce_columns: reduces an axis that is not the innermost. A block takes neighbouring results, so
// that a warp reads neighbouring addresses; its warps share the axis and merge in shared memory.
//
//   operands  float32, float16 or bfloat16; inner > 1, any outer and axis
//   alignment that of the element; where inner is a multiple of 4, a thread takes four results
//   sum       float32: each warp its elements in order, then the warps in order; deterministic
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
  static constexpr int kWarps = 8;
  static constexpr int kWide = 4;    // results of a thread where inner allows
  static constexpr int kUnroll = 4;  // loads that a thread has on their way at once
};

// kCount neighbouring results of a thread.
template <typename T, typename Reducer, int kCount>
__global__ __launch_bounds__(Config::kWarps* kWarpSize) void reduce_columns_kernel(
    const __grid_constant__ ReduceProblem p, const T* src, T* dst) {
  __shared__ Reduced s_parts[Config::kWarps][kCount][kWarpSize];
  const int lane = threadIdx.x;
  const int warp = threadIdx.y;
  const int64_t results = p.outer * p.inner;
  const int64_t result = (static_cast<int64_t>(blockIdx.x) * kWarpSize + lane) * kCount;
  const int64_t end = result < results ? p.axis : 0;
  const T* g_src = src + result / p.inner * p.axis * p.inner + result % p.inner;

  Reduced r_part[kCount];
#pragma unroll
  for (int j = 0; j < kCount; ++j) r_part[j] = Reducer::identity();
  for (int64_t first = warp; first < end; first += Config::kWarps * Config::kUnroll) {
    Vector<T, kCount> r_loaded[Config::kUnroll];
#pragma unroll
    for (int u = 0; u < Config::kUnroll; ++u) {
      const int64_t a = first + u * Config::kWarps;
      if (a < end) r_loaded[u] = load_vector<kCount>(g_src + a * p.inner);
    }
#pragma unroll
    for (int u = 0; u < Config::kUnroll; ++u) {
      if (first + u * Config::kWarps >= end) break;
#pragma unroll
      for (int j = 0; j < kCount; ++j) {
        r_part[j] = Reducer::add(r_part[j], to_float(r_loaded[u].element[j]));
      }
    }
  }
#pragma unroll
  for (int j = 0; j < kCount; ++j) s_parts[warp][j][lane] = r_part[j];
  __syncthreads();
  if (warp != 0 || result >= results) return;
  Vector<T, kCount> vector;
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    Reduced reduced = r_part[j];
    for (int w = 1; w < Config::kWarps; ++w) {
      reduced = Reducer::merge(reduced, s_parts[w][j][lane]);
    }
    vector.element[j] = from_float<T>(finish(p.kind, reduced, p.axis));
  }
  store_vector<kCount>(dst + result, vector);
}

Support supports(const ReduceProblem& problem, const DeviceInfo&) {
  if (problem.inner == 1) return Support::no("inner = 1: the rows are contiguous");
  return support_float(problem.dtype);
}

}  // namespace

Status launch_reduce_columns(const ReduceProblem& problem, const Operands& operands,
                             Stream& stream) {
  const int64_t results = problem.outer * problem.inner;
  return dispatch_float(problem.dtype, [&]<typename T>() {
    const T* src = input<T>(operands, ReduceProblem::kSrc);
    T* dst = output<T>(operands);
    const bool wide =
        problem.inner % Config::kWide == 0 && are_aligned(Config::kWide * sizeof(T), src, dst);
    return dispatch_reducer(problem.kind, [&]<typename Reducer>() {
      const auto kernel = wide ? reduce_columns_kernel<T, Reducer, Config::kWide>
                               : reduce_columns_kernel<T, Reducer, 1>;
      return launch(kernel, ceil_div<int64_t>(results, kWarpSize * (wide ? Config::kWide : 1)),
                    dim3(kWarpSize, Config::kWarps), 0, stream, problem, src, dst);
    });
  });
}

const KernelEntry reduce_columns_entry =
    stateless_kernel_entry<ReduceProblem, supports, launch_reduce_columns>(
        "reduce_columns", "a warp reads for neighbouring results");

}  // namespace tessera::cuda
