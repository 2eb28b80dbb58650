// SPDX-License-Identifier: Apache-2.0
// reduce_block: one block per result: each thread reduces a part of the row, then half of the
// threads merge with the other half in shared memory, again and again.
//
//   operands  float32, float16 or bfloat16; any outer, axis, inner
//   alignment that of the element; contiguous rows of whole vectors are read 16 bytes at a time
//   sum       float32: each thread its elements in order, then a fixed tree; deterministic
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/reduce/launch_reduce.h"
#include "kernels/cuda/reduce/reducer.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kThreads = 256;
  static_assert((kThreads & (kThreads - 1)) == 0, "the tree halves the threads");
};

template <typename T, typename Reducer, int kCount>
__global__ __launch_bounds__(Config::kThreads) void reduce_block_kernel(
    const __grid_constant__ ReduceProblem p, const T* src, T* dst) {
  __shared__ Reduced s_parts[Config::kThreads];
  const int64_t result = blockIdx.x;
  const T* g_row = src + result / p.inner * p.axis * p.inner + result % p.inner;
  s_parts[threadIdx.x] = reduce_part<Reducer, kCount>(g_row, p.inner * kCount, threadIdx.x,
                                                      Config::kThreads, p.axis / kCount);
  __syncthreads();
  for (int half = Config::kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      s_parts[threadIdx.x] = Reducer::merge(s_parts[threadIdx.x], s_parts[threadIdx.x + half]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) dst[result] = from_float<T>(finish(p.kind, s_parts[0], p.axis));
}

Support supports(const ReduceProblem& problem, const DeviceInfo&) {
  return support_float(problem.dtype);
}

}  // namespace

Status launch_reduce_block(const ReduceProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    const T* src = input<T>(operands, ReduceProblem::kSrc);
    return dispatch_reducer(problem.kind, [&]<typename Reducer>() {
      const auto kernel = has_vector_rows(problem, src)
                              ? reduce_block_kernel<T, Reducer, kVectorElements<T>>
                              : reduce_block_kernel<T, Reducer, 1>;
      return launch(kernel, problem.outer * problem.inner, Config::kThreads, 0, stream, problem,
                    src, output<T>(operands));
    });
  });
}

const KernelEntry reduce_block_entry =
    stateless_kernel_entry<ReduceProblem, supports, launch_reduce_block>(
        "reduce_block", "one block per result, a tree in shared memory");

}  // namespace tessera::cuda
