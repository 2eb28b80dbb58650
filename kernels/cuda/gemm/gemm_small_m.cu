// SPDX-License-Identifier: Apache-2.0
// gemm_small_m: D = activation(alpha * A * B^T + beta * bias + residual) for few rows: a fully
// connected layer on a small batch. One warp per column of D streams that column's weights once and
// multiplies them with every row of A, so that the time is that of reading B.
//
//   operands  float32, M <= 8, A stored (M, K), B stored (N, K); any N, K (K = 0 gives the epilogue
//             of 0), lda, ldb, ldd, batch
//   alignment 4 bytes
//   sum       float32: lane l adds k = l, l + 32, ..., then a butterfly over the lanes;
//   deterministic
#include "core/math.h"
#include "kernels/cuda/gemm/gemm_operands.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kMaxM = 8;
  static constexpr int kWarps = 4;
  static constexpr int kThreads = kWarps * kWarpSize;
  static_assert(kMaxM <= kWarpSize, "lane m stores row m");
};

template <ActivationKind kActivation>
__global__ __launch_bounds__(Config::kThreads) void gemm_small_m_kernel(
    const __grid_constant__ GemmProblem p, GemmOperands<float> g, int64_t columns) {
  const int lane = threadIdx.x % kWarpSize;
  const int64_t column =
      static_cast<int64_t>(blockIdx.x) * Config::kWarps + threadIdx.x / kWarpSize;
  if (column >= columns) return;  // a whole warp leaves: the shuffles below stay complete
  const int64_t batch = column / p.N;
  const int64_t n = column % p.N;
  const float* g_a = view_a(p, g, batch).data;              // (M, K)
  const float* g_b = view_b(p, g, batch).data + n * p.ldb;  // (K)

  float r_acc[Config::kMaxM] = {};  // (M)
  for (int64_t k = lane; k < p.K; k += kWarpSize) {
    const float weight = g_b[k];
#pragma unroll
    for (int m = 0; m < Config::kMaxM; ++m) {
      if (m < p.M) r_acc[m] += g_a[m * p.lda + k] * weight;
    }
  }
#pragma unroll
  for (int m = 0; m < Config::kMaxM; ++m) {
    const float sum = warp_reduce(r_acc[m], Sum());
    if (lane == m && m < p.M) {
      store_gemm_output<kActivation>(p, g, batch, m, n, p.alpha * sum);
    }
  }
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  if (problem.M > Config::kMaxM) {
    return Support::no("M = " + std::to_string(problem.M) + " is more than " +
                       std::to_string(Config::kMaxM) + " rows");
  }
  if (problem.transpose_a) return Support::no("A is stored transposed, its rows not contiguous");
  if (!problem.transpose_b) return Support::no("B is stored (K, N), its columns not contiguous");
  return support_float32(problem.dtype);
}

Status launch_gemm_small_m(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  if (problem.M == 0) return {};
  const int64_t columns = problem.batch() * problem.N;
  const int64_t blocks = ceil_div<int64_t>(columns, Config::kWarps);
  return dispatch_activation(problem.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(gemm_small_m_kernel<kActivation>, blocks, Config::kThreads, 0, stream, problem,
                  gemm_operands<float>(operands), columns);
  });
}

}  // namespace

const KernelEntry gemm_small_m_entry =
    stateless_kernel_entry<GemmProblem, supports, launch_gemm_small_m>(
        "gemm_small_m", "at most 8 rows: one warp per column of D reads its weights once");

}  // namespace tessera::cuda
