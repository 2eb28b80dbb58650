// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/gemm/gemm_operands.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/vendor/gemm_epilogue.h"

namespace tessera::cuda {
namespace {

template <ActivationKind kActivation>
__global__ void gemm_epilogue_kernel(const __grid_constant__ GemmProblem p, GemmOperands g,
                                     int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t n = i % p.N;
    const int64_t m = i / p.N % p.M;
    const int64_t batch = i / p.N / p.M;
    const float product = g.d[(batch * p.M + m) * p.ldd + n];
    store_gemm_output<kActivation>(p, g, batch, m, n, product);
  }
}

}  // namespace

Status launch_gemm_epilogue(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  const Epilogue& epilogue = problem.epilogue;
  if (!epilogue.has_bias && !epilogue.has_residual &&
      epilogue.activation.kind == ActivationKind::kNone) {
    return {};
  }
  const int64_t count = problem.batch() * problem.M * problem.N;
  return dispatch_activation(epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(gemm_epilogue_kernel<kActivation>, elementwise_blocks(count), kElementwiseThreads,
                  0, stream, problem, gemm_operands(operands), count);
  });
}

}  // namespace tessera::cuda
