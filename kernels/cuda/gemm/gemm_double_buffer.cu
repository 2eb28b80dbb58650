// SPDX-License-Identifier: Apache-2.0
// gemm_double_buffer: D = activation(alpha * op(A) * op(B) + beta * bias + residual), the tiles of
// gemm_vectorized in two buffers: while one k-tile is multiplied, the next is on its way to
// registers, and it goes to the other buffer afterwards. The latency of global memory hides behind
// the products, and one barrier per k-tile is enough.
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

// As in gemm_vectorized. A thread holds 8 elements of the next k-tile beside its 64 results.
constexpr int kBuffers = 2;
// Holds the compiler to 128 registers, so that one block computes while another is at its barrier.
constexpr int kBlocksPerMultiprocessor = 2;
using Tile = ThreadTile<128, 128, 8, 8, 8>;
using ReaderA = TileReader<Tile::kThreads, Tile::kBlockM, Tile::kBlockK>;
using ReaderB = TileReader<Tile::kThreads, Tile::kBlockN, Tile::kBlockK>;
static_assert(kBuffers * (Tile::kPitchM + Tile::kPitchN) * Tile::kBlockK * 4 <= 48 * 1024,
              "static shared memory");

__global__ __launch_bounds__(
    Tile::kThreads,
    kBlocksPerMultiprocessor) void gemm_double_buffer_kernel(const __grid_constant__ GemmProblem p,
                                                             GemmOperands<float> g) {
  __shared__ __align__(
      16) float s_a[kBuffers][Tile::kBlockK][Tile::kPitchM];  // (Buffers, BlockK, BlockM)
  __shared__ __align__(
      16) float s_b[kBuffers][Tile::kBlockK][Tile::kPitchN];  // (Buffers, BlockK, BlockN)

  const BlockPosition block = block_position<Tile>(p);
  const MatrixView<float> a = view_a(p, g, block.batch);  // (M, K)
  const MatrixView<float> b = view_b(p, g, block.batch);  // (K, N)
  ReaderA reader_a(a.data + block.m * a.row_stride, a.row_stride, a.column_stride, p.M - block.m);
  ReaderB reader_b(b.data + block.n * b.column_stride, b.column_stride, b.row_stride,
                   p.N - block.n);
  const int row0 = threadIdx.x / Tile::kThreadsN * Tile::kThreadM;
  const int column0 = threadIdx.x % Tile::kThreadsN * Tile::kThreadN;

  float r_acc[Tile::kThreadM][Tile::kThreadN] = {};  // (ThreadM, ThreadN)
  reader_a.fetch(p.K);
  reader_b.fetch(p.K);
  reader_a.store(s_a[0]);
  reader_b.store(s_b[0]);
  __syncthreads();
  int buffer = 0;
  for (int64_t k0 = Tile::kBlockK; k0 < p.K; k0 += Tile::kBlockK) {
    reader_a.fetch(p.K - k0);
    reader_b.fetch(p.K - k0);
    multiply_tile<Tile>(s_a[buffer], s_b[buffer], row0, column0, r_acc);
    // The other buffer was last read before the barrier of the round before.
    buffer ^= 1;
    reader_a.store(s_a[buffer]);
    reader_b.store(s_b[buffer]);
    __syncthreads();
  }
  multiply_tile<Tile>(s_a[buffer], s_b[buffer], row0, column0, r_acc);
  store_gemm_results(p, g, block, row0, column0, ThreadResults{r_acc});
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  return support_float32(problem.dtype);
}

Status launch_gemm_double_buffer(const GemmProblem& problem, const Operands& operands,
                                 Stream& stream) {
  return launch(gemm_double_buffer_kernel, gemm_blocks<Tile>(problem), Tile::kThreads, 0, stream,
                problem, gemm_operands<float>(operands));
}

}  // namespace

const KernelEntry gemm_double_buffer_entry =
    stateless_kernel_entry<GemmProblem, supports, launch_gemm_double_buffer>(
        "gemm_double_buffer", "the next k-tile is loaded to registers while one is multiplied");

}  // namespace tessera::cuda
