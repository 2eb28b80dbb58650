// SPDX-License-Identifier: Apache-2.0
// gemm_vectorized: D = activation(alpha * op(A) * op(B) + beta * bias + residual), an 8 x 8 tile of
// D per thread, and 16 bytes per instruction on every way: global memory to registers, registers
// to shared memory (an operand with k contiguous is transposed here), and back for the products.
//
//   operands  float32, any M, N, K (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes,
//             batch
//   alignment 4 bytes; 16 bytes and leading dimensions of a multiple of 4 make the loads vectors,
//             decided per block
//   sum       float32, k ascending; deterministic
#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/gemm_store.cuh"
#include "kernels/cuda/gemm/thread_tile.cuh"
#include "kernels/cuda/gemm/tile_reader.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// 256 threads with 64 results each: 16 elements from shared memory feed 64 multiply-adds. BlockK =
// 8 is a whole 32-byte sector of a row of A, and one vector per thread and operand.
using Tile = ThreadTile<128, 128, 8, 8, 8>;
using ReaderA = TileReader<Tile::kThreads, Tile::kBlockM, Tile::kBlockK>;
using ReaderB = TileReader<Tile::kThreads, Tile::kBlockN, Tile::kBlockK>;

__global__ __launch_bounds__(Tile::kThreads) void gemm_vectorized_kernel(
    const __grid_constant__ GemmProblem p, const __grid_constant__ GemmOperands<float> g) {
  __shared__ __align__(16) float s_a[Tile::kBlockK][Tile::kPitchM];  // (BlockK, BlockM)
  __shared__ __align__(16) float s_b[Tile::kBlockK][Tile::kPitchN];  // (BlockK, BlockN)

  const BlockPosition block = block_position<Tile>(p);
  const MatrixView<float> a = view_a(p, g, block.batch);  // (M, K)
  const MatrixView<float> b = view_b(p, g, block.batch);  // (K, N)
  ReaderA reader_a(a.data + block.m * a.row_stride, a.row_stride, a.column_stride, p.M - block.m);
  ReaderB reader_b(b.data + block.n * b.column_stride, b.column_stride, b.row_stride,
                   p.N - block.n);
  const int row0 = threadIdx.x / Tile::kThreadsN * Tile::kThreadM;
  const int column0 = threadIdx.x % Tile::kThreadsN * Tile::kThreadN;

  float r_acc[Tile::kThreadM][Tile::kThreadN] = {};  // (ThreadM, ThreadN)
  for (int64_t k0 = 0; k0 < p.K; k0 += Tile::kBlockK) {
    reader_a.fetch(p.K - k0);
    reader_b.fetch(p.K - k0);
    reader_a.store(s_a);
    reader_b.store(s_b);
    __syncthreads();
    multiply_tile<Tile>(s_a, s_b, row0, column0, r_acc);
    __syncthreads();
  }
  store_gemm_results(p, g, block, row0, column0, ThreadResults{r_acc});
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  return support_float32(problem.dtype);
}

Status launch_gemm_vectorized(const GemmProblem& problem, const Operands& operands,
                              Stream& stream) {
  return launch(gemm_vectorized_kernel, gemm_blocks<Tile>(problem), Tile::kThreads, 0, stream,
                problem, gemm_operands<float>(operands));
}

}  // namespace

const KernelEntry gemm_vectorized_entry =
    stateless_kernel_entry<GemmProblem, supports, launch_gemm_vectorized>(
        "gemm_vectorized", "16-byte loads and stores, an 8 x 8 tile of D per thread");

}  // namespace tessera::cuda
