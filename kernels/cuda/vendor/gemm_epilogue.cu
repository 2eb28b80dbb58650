// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/epilogue.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/vector.cuh"
#include "kernels/cuda/vendor/gemm_epilogue.h"

namespace tessera::cuda {
namespace {

// product is null when it lies in d; bias and residual are null when the epilogue has none.
template <typename T>
struct EpilogueOperands {
  const float* product;
  const T* bias;
  const T* residual;
  T* d;
};

template <typename T, ActivationKind kActivation>
__global__ void gemm_epilogue_kernel(const __grid_constant__ GemmProblem p, EpilogueOperands<T> g,
                                     int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t n = i % p.N;
    const int64_t row = i / p.N;  // of all batches
    const int64_t m = row % p.M;
    const int64_t offset = row * p.ldd + n;
    float x = g.product != nullptr ? g.product[i] : to_float(g.d[offset]);
    if (g.bias != nullptr)
      x += p.beta * to_float(g.bias[m * p.bias_stride_m + n * p.bias_stride_n]);
    if (g.residual != nullptr) x += to_float(g.residual[offset]);
    g.d[offset] = from_float<T>(activate<kActivation>(x, p.epilogue.activation));
  }
}

}  // namespace

Status launch_gemm_epilogue(const GemmProblem& problem, const float* product,
                            const Operands& operands, Stream& stream) {
  const Epilogue& epilogue = problem.epilogue;
  if (product == nullptr && epilogue == Epilogue{}) return {};
  const int64_t count = problem.batch() * problem.M * problem.N;
  return dispatch_float(problem.dtype, [&]<typename T>() {
    const EpilogueOperands<T> g = {
        product, epilogue.has_bias ? input<T>(operands, GemmProblem::kBias) : nullptr,
        epilogue.has_residual ? input<T>(operands, GemmProblem::kResidual) : nullptr,
        output<T>(operands)};
    return dispatch_activation(epilogue.activation.kind, [&]<ActivationKind kActivation>() {
      return launch(gemm_epilogue_kernel<T, kActivation>, elementwise_blocks(count),
                    kElementwiseThreads, 0, stream, problem, g, count);
    });
  });
}

}  // namespace tessera::cuda
