// SPDX-License-Identifier: Apache-2.0
// softmax_block: softmax or log-softmax along any axis, one block per row: three passes over the
// row (maximum, sum, result), reductions by shuffles within and shared memory between the warps.
//
//   operands  float32, float16 or bfloat16, any outer, axis, inner; with inner > 1 the elements of
//   a
//             row are inner apart
//   alignment that of the element
//   sum       float32: thread t adds t, t + 256, ..., then a fixed tree; deterministic
//   NaN       a NaN makes its row NaN, through the sum; so does a row of -infinity (its maximum
//             minus itself), as the formula of kernels/problem/softmax.h says
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/support.h"
#include "kernels/cuda/vector.cuh"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kThreads = 256;
};

template <typename T, bool kLog>
__global__ __launch_bounds__(Config::kThreads) void softmax_block_kernel(const T* src, T* dst,
                                                                         int64_t axis,
                                                                         int64_t inner) {
  __shared__ float s_partials[Config::kThreads / kWarpSize];  // (warps)
  const int64_t outer_index = blockIdx.x / inner;
  const int64_t inner_index = blockIdx.x % inner;
  const int64_t base = outer_index * axis * inner + inner_index;
  const T* g_src = src + base;  // (axis), inner apart
  T* g_dst = dst + base;        // (axis), inner apart

  float max = Max::identity();
  for (int64_t a = threadIdx.x; a < axis; a += Config::kThreads) {
    max = fmaxf(max, to_float(g_src[a * inner]));
  }
  max = block_reduce<Config::kThreads>(max, Max(), s_partials);
  float sum = 0.0f;
  for (int64_t a = threadIdx.x; a < axis; a += Config::kThreads) {
    sum += expf(to_float(g_src[a * inner]) - max);
  }
  sum = block_reduce<Config::kThreads>(sum, Sum(), s_partials);
  const float log_sum = kLog ? logf(sum) : 0.0f;
  for (int64_t a = threadIdx.x; a < axis; a += Config::kThreads) {
    const float shifted = to_float(g_src[a * inner]) - max;
    g_dst[a * inner] = from_float<T>(kLog ? shifted - log_sum : expf(shifted) / sum);
  }
}

Support supports(const SoftmaxProblem& problem, const DeviceInfo&) {
  return support_float(problem.dtype);
}

Status launch_softmax_block(const SoftmaxProblem& problem, const Operands& operands,
                            Stream& stream) {
  if (problem.axis == 0) return {};
  return dispatch_float(problem.dtype, [&]<typename T>() {
    const auto kernel =
        problem.log ? softmax_block_kernel<T, true> : softmax_block_kernel<T, false>;
    return launch(kernel, problem.outer * problem.inner, Config::kThreads, 0, stream,
                  input<T>(operands, SoftmaxProblem::kSrc), output<T>(operands), problem.axis,
                  problem.inner);
  });
}

}  // namespace

const KernelEntry softmax_block_entry =
    stateless_kernel_entry<SoftmaxProblem, supports, launch_softmax_block>(
        "softmax_block", "one block per row, shuffles and shared memory");

}  // namespace tessera::cuda
