// SPDX-License-Identifier: Apache-2.0
// gemm_naive: D = activation(alpha * op(A) * op(B) + beta * bias + residual), one thread per
// element of D, both operands read straight from global memory. The threads of a warp lie along M,
// as they would in a loop nest with the rows inside: with row-major operands a warp reads 32
// elements of A from 32 rows and writes 32 elements of D to 32 rows, a 32-byte sector for each.
// What the other rungs are measured against.
//
//   operands  float32, any M, N, K (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes,
//             batch
//   alignment 4 bytes
//   sum       float32, k ascending; deterministic
#include "kernels/cuda/gemm/gemm_operands.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

template <ActivationKind kActivation>
__global__ void gemm_naive_kernel(const __grid_constant__ GemmProblem p, GemmOperands<float> g,
                                  int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t m = i % p.M;
    const int64_t n = i / p.M % p.N;
    const int64_t batch = i / p.M / p.N;
    compute_gemm_element<kActivation>(p, g, batch, m, n);
  }
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  return support_float32(problem.dtype);
}

Status launch_gemm_naive(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t count = problem.batch() * problem.M * problem.N;
  return dispatch_activation(problem.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(gemm_naive_kernel<kActivation>, elementwise_blocks(count), kElementwiseThreads, 0,
                  stream, problem, gemm_operands<float>(operands), count);
  });
}

}  // namespace

const KernelEntry gemm_naive_entry =
    stateless_kernel_entry<GemmProblem, supports, launch_gemm_naive>(
        "gemm_naive", "one thread per element of D, operands from global memory, a warp along M");

}  // namespace tessera::cuda
