// SPDX-License-Identifier: Apache-2.0
// gemm_thread_tile: D = activation(alpha * op(A) * op(B) + beta * bias + residual), tiles of A and
// B staged in shared memory as in gemm_smem, but a 4 x 4 tile of D per thread in registers: eight
// elements read from shared memory feed 16 multiply-adds, where one result per thread needs two
// elements for each.
//
//   operands  float32, any M, N, K (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes,
//             batch
//   alignment 4 bytes
//   sum       float32, k ascending; deterministic
#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/gemm_store.cuh"
#include "kernels/cuda/gemm/thread_tile.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// 256 threads with 16 results each. BlockK = 16 reads 64 contiguous bytes of a row of A: two
// sectors, so that none is fetched in vain.
using Tile = ThreadTile<64, 64, 16, 4, 4>;

__global__ __launch_bounds__(Tile::kThreads) void gemm_thread_tile_kernel(
    const __grid_constant__ GemmProblem p, const __grid_constant__ GemmOperands<float> g) {
  __shared__ __align__(16) float s_a[Tile::kBlockK][Tile::kPitchM];  // (BlockK, BlockM)
  __shared__ __align__(16) float s_b[Tile::kBlockK][Tile::kPitchN];  // (BlockK, BlockN)

  const BlockPosition block = block_position<Tile>(p);
  const MatrixView<float> a = view_a(p, g, block.batch);  // (M, K)
  const MatrixView<float> b = view_b(p, g, block.batch);  // (K, N)
  const float* g_a = a.data + block.m * a.row_stride;
  const float* g_b = b.data + block.n * b.column_stride;
  const int row0 = threadIdx.x / Tile::kThreadsN * Tile::kThreadM;
  const int column0 = threadIdx.x % Tile::kThreadsN * Tile::kThreadN;

  float r_acc[Tile::kThreadM][Tile::kThreadN] = {};  // (ThreadM, ThreadN)
  for (int64_t k0 = 0; k0 < p.K; k0 += Tile::kBlockK) {
    load_tile<Tile::kThreads, Tile::kBlockM>(g_a + k0 * a.column_stride, a.row_stride,
                                             a.column_stride, p.M - block.m, p.K - k0, s_a);
    load_tile<Tile::kThreads, Tile::kBlockN>(g_b + k0 * b.row_stride, b.column_stride, b.row_stride,
                                             p.N - block.n, p.K - k0, s_b);
    __syncthreads();
    multiply_tile<Tile>(s_a, s_b, row0, column0, r_acc);
    __syncthreads();
  }

  store_gemm_results(p, g, block, row0, column0, ThreadResults{r_acc});
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  return support_float32(problem.dtype);
}

Status launch_gemm_thread_tile(const GemmProblem& problem, const Operands& operands,
                               Stream& stream) {
  return launch(gemm_thread_tile_kernel, gemm_blocks<Tile>(problem), Tile::kThreads, 0, stream,
                problem, gemm_operands<float>(operands));
}

}  // namespace

const KernelEntry gemm_thread_tile_entry =
    stateless_kernel_entry<GemmProblem, supports, launch_gemm_thread_tile>(
        "gemm_thread_tile", "tiles of A and B in shared memory, a 4 x 4 tile of D per thread");

}  // namespace tessera::cuda
