// SPDX-License-Identifier: Apache-2.0
// gemm_smem: D = activation(alpha * op(A) * op(B) + beta * bias + residual), tiles of A and B
// staged in shared memory, a tile of D per thread in registers: each element read from global
// memory is used 64 times.
//
//   operands  float32, any M, N, K (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes,
//   batch alignment 4 bytes sum       float32, k ascending; deterministic
#include "core/math.h"
#include "kernels/cuda/gemm/gemm_operands.cuh"
#include "kernels/cuda/gemm/thread_tile.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// 256 threads with 16 results each. BlockK = 16 reads 64 contiguous bytes of a row of A: two
// sectors, so that none is fetched in vain.
using Tile = ThreadTile<64, 64, 16, 4, 4>;

template <ActivationKind kActivation>
__global__ __launch_bounds__(Tile::kThreads) void gemm_smem_kernel(
    const __grid_constant__ GemmProblem p, GemmOperands g) {
  __shared__ __align__(16) float s_a[Tile::kBlockK][Tile::kPitchM];  // (BlockK, BlockM)
  __shared__ __align__(16) float s_b[Tile::kBlockK][Tile::kPitchN];  // (BlockK, BlockN)

  const int64_t tiles_n = ceil_div<int64_t>(p.N, Tile::kBlockN);
  const int64_t tiles_m = ceil_div<int64_t>(p.M, Tile::kBlockM);
  const int64_t n0 = blockIdx.x % tiles_n * Tile::kBlockN;
  const int64_t m0 = blockIdx.x / tiles_n % tiles_m * Tile::kBlockM;
  const int64_t batch = blockIdx.x / tiles_n / tiles_m;
  const MatrixView a = view_a(p, g, batch);  // (M, K)
  const MatrixView b = view_b(p, g, batch);  // (K, N)
  const float* g_a = a.data + m0 * a.row_stride;
  const float* g_b = b.data + n0 * b.column_stride;
  const int row0 = threadIdx.x / Tile::kThreadsN * Tile::kThreadM;
  const int column0 = threadIdx.x % Tile::kThreadsN * Tile::kThreadN;

  float r_acc[Tile::kThreadM][Tile::kThreadN] = {};  // (ThreadM, ThreadN)
  for (int64_t k0 = 0; k0 < p.K; k0 += Tile::kBlockK) {
    load_tile<Tile::kThreads, Tile::kBlockM>(g_a + k0 * a.column_stride, a.row_stride,
                                             a.column_stride, p.M - m0, p.K - k0, s_a);
    load_tile<Tile::kThreads, Tile::kBlockN>(g_b + k0 * b.row_stride, b.column_stride, b.row_stride,
                                             p.N - n0, p.K - k0, s_b);
    __syncthreads();
    multiply_tile<Tile>(s_a, s_b, row0, column0, r_acc);
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < Tile::kThreadM; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kThreadN; ++j) {
      const int64_t m = m0 + row0 + i;
      const int64_t n = n0 + column0 + j;
      if (m < p.M && n < p.N) {
        store_gemm_output<kActivation>(p, g, batch, m, n, p.alpha * r_acc[i][j]);
      }
    }
  }
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  return support_float32(problem.dtype);
}

Status launch_gemm_smem(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t tiles = problem.batch() * ceil_div<int64_t>(problem.M, Tile::kBlockM) *
                        ceil_div<int64_t>(problem.N, Tile::kBlockN);
  return dispatch_activation(problem.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(gemm_smem_kernel<kActivation>, tiles, Tile::kThreads, 0, stream, problem,
                  gemm_operands(operands));
  });
}

}  // namespace

const KernelEntry gemm_smem_entry = stateless_kernel_entry<GemmProblem, supports, launch_gemm_smem>(
    "gemm_smem", "tiles of A and B in shared memory, a 4 x 4 tile of D per thread");

}  // namespace tessera::cuda
