// SPDX-License-Identifier: Apache-2.0
// softmax_naive: softmax or log-softmax along any axis, one thread per row: three passes (maximum,
// sum, result) as the formula is written. Neighbouring threads read far apart unless inner is
// large.
//
//   operands  float32, float16 or bfloat16; any outer, axis, inner
//   alignment that of the element
//   sum       float32 in the order of the axis; deterministic
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

template <typename T>
__global__ void softmax_naive_kernel(const __grid_constant__ SoftmaxProblem p, const T* src,
                                     T* dst) {
  const int64_t rows = p.outer * p.inner;
  for (int64_t row = grid_thread(); row < rows; row += grid_threads()) {
    const int64_t base = row / p.inner * p.axis * p.inner + row % p.inner;
    const T* g_src = src + base;  // (axis), inner apart
    T* g_dst = dst + base;        // (axis), inner apart
    float max = Max::identity();
    for (int64_t a = 0; a < p.axis; ++a) max = fmaxf(max, to_float(g_src[a * p.inner]));
    float sum = 0.0f;
    for (int64_t a = 0; a < p.axis; ++a) sum += expf(to_float(g_src[a * p.inner]) - max);
    const float log_sum = p.log ? logf(sum) : 0.0f;
    for (int64_t a = 0; a < p.axis; ++a) {
      const float shifted = to_float(g_src[a * p.inner]) - max;
      g_dst[a * p.inner] = from_float<T>(p.log ? shifted - log_sum : expf(shifted) / sum);
    }
  }
}

Support supports(const SoftmaxProblem& problem, const DeviceInfo&) {
  return support_float(problem.dtype);
}

Status launch_softmax_naive(const SoftmaxProblem& problem, const Operands& operands,
                            Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return launch(softmax_naive_kernel<T>, elementwise_blocks(problem.outer * problem.inner),
                  kElementwiseThreads, 0, stream, problem, input<T>(operands, SoftmaxProblem::kSrc),
                  output<T>(operands));
  });
}

}  // namespace

const KernelEntry softmax_naive_entry =
    stateless_kernel_entry<SoftmaxProblem, supports, launch_softmax_naive>(
        "softmax_naive", "one thread per row, three passes");

}  // namespace tessera::cuda
