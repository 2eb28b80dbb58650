// SPDX-License-Identifier: Apache-2.0
// gemm_coalesced: D = activation(alpha * op(A) * op(B) + beta * bias + residual), one thread per
// element of D as in gemm_naive, but with the threads of a warp along N, where D and a B that is
// not transposed are contiguous. Sectors of 32 bytes that a warp touches with row-major operands:
//
//                  A, per k      B, per k      D
//   gemm_naive     32            1             32
//   gemm_coalesced 1             4             4
//
// With B stored transposed it is B whose 32 elements lie in 32 rows; tiles in shared memory
// (gemm_smem) make the order of the threads and that of the memory independent.
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
__global__ void gemm_coalesced_kernel(const __grid_constant__ GemmProblem p, GemmOperands<float> g,
                                      int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t m = i / p.N % p.M;
    const int64_t n = i % p.N;
    const int64_t batch = i / p.N / p.M;
    compute_gemm_element<kActivation>(p, g, batch, m, n);
  }
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  return support_float32(problem.dtype);
}

Status launch_gemm_coalesced(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t count = problem.batch() * problem.M * problem.N;
  return dispatch_activation(problem.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(gemm_coalesced_kernel<kActivation>, elementwise_blocks(count),
                  kElementwiseThreads, 0, stream, problem, gemm_operands<float>(operands), count);
  });
}

}  // namespace

const KernelEntry gemm_coalesced_entry =
    stateless_kernel_entry<GemmProblem, supports, launch_gemm_coalesced>(
        "gemm_coalesced",
        "one thread per element of D, operands from global memory, a warp along N");

}  // namespace tessera::cuda
