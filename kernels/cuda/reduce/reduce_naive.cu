// SPDX-License-Identifier: Apache-2.0
// reduce_naive: one thread per result goes along the axis. Neighbouring threads read far apart
// unless inner is large, and few results keep few threads busy.
//
//   operands  float32, float16 or bfloat16; any outer, axis, inner
//   alignment that of the element
//   sum       float32 in the order of the axis; deterministic
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/reduce/reducer.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

template <typename T, typename Reducer>
__global__ void reduce_naive_kernel(const __grid_constant__ ReduceProblem p, const T* src, T* dst) {
  const int64_t results = p.outer * p.inner;
  for (int64_t i = grid_thread(); i < results; i += grid_threads()) {
    const T* g_row = src + i / p.inner * p.axis * p.inner + i % p.inner;  // (axis), inner apart
    Reduced reduced = Reducer::identity();
    for (int64_t a = 0; a < p.axis; ++a) {
      reduced = Reducer::add(reduced, to_float(g_row[a * p.inner]));
    }
    dst[i] = from_float<T>(finish(p.kind, reduced, p.axis));
  }
}

Support supports(const ReduceProblem& problem, const DeviceInfo&) {
  return support_float(problem.dtype);
}

Status launch_reduce_naive(const ReduceProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return dispatch_reducer(problem.kind, [&]<typename Reducer>() {
      return launch(reduce_naive_kernel<T, Reducer>,
                    elementwise_blocks(problem.outer * problem.inner), kElementwiseThreads, 0,
                    stream, problem, input<T>(operands, ReduceProblem::kSrc), output<T>(operands));
    });
  });
}

}  // namespace

const KernelEntry reduce_naive_entry =
    stateless_kernel_entry<ReduceProblem, supports, launch_reduce_naive>("reduce_naive",
                                                                         "one thread per result");

}  // namespace tessera::cuda
