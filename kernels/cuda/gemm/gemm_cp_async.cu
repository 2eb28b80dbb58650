// SPDX-License-Identifier: Apache-2.0
// gemm_cp_async: D = activation(alpha * op(A) * op(B) + beta * bias + residual), the tiles of
// gemm_double_buffer copied to shared memory without registers in between, and further ahead:
// while one k-tile is multiplied, three are on their way. Such a copy cannot transpose: an operand
// with k contiguous is copied element by element, one with rows or columns contiguous by 16 bytes.
//
//   operands  float32, any M, N, K (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes,
//             batch
//   alignment 4 bytes; 16 bytes and leading dimensions of a multiple of 4 make the copies vectors,
//             decided per block
//   device    compute capability 8.0 or later
//   sum       float32, k ascending; deterministic
#include "kernels/cuda/gemm/async_reader.cuh"
#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/gemm_store.cuh"
#include "kernels/cuda/gemm/k_tiles.cuh"
#include "kernels/cuda/gemm/thread_tile.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

using Tile = ThreadTile<128, 128, 8, 8, 8>;
// Four k-tiles are 33 KB of static shared memory, and six times the latency of global memory.
constexpr int kStages = 4;
// Holds the compiler to 128 registers, so that one block computes while another is at its barrier.
constexpr int kBlocksPerMultiprocessor = 2;
static_assert(kStages >= 2, "one stage is read while another is written");
static_assert(kStages * (Tile::kPitchM + Tile::kPitchN) * Tile::kBlockK * 4 <= 48 * 1024,
              "static shared memory");

template <bool kTransposeA, bool kTransposeB>
__global__ __launch_bounds__(Tile::kThreads, kBlocksPerMultiprocessor) void gemm_cp_async_kernel(
    const __grid_constant__ GemmProblem p, const __grid_constant__ GemmOperands<float> g) {
  // (Stages, BlockK, BlockM) and (Stages, BlockK, BlockN)
  __shared__ __align__(16) float s_a[kStages][Tile::kBlockK][Tile::kPitchM];
  __shared__ __align__(16) float s_b[kStages][Tile::kBlockK][Tile::kPitchN];

  const BlockPosition block = block_position<Tile>(p);
  AsyncReader<Tile::kThreads, Tile::kBlockM, Tile::kBlockK, Tile::kPitchM, !kTransposeA> reader_a(
      tile_rows_a(p, g, block.batch, block.m), p.lda, p.M - block.m, s_a[0]);
  AsyncReader<Tile::kThreads, Tile::kBlockN, Tile::kBlockK, Tile::kPitchN, kTransposeB> reader_b(
      tile_columns_b(p, g, block.batch, block.n), p.ldb, p.N - block.n, s_b[0]);
  const int row0 = threadIdx.x / Tile::kThreadsN * Tile::kThreadM;
  const int column0 = threadIdx.x % Tile::kThreadsN * Tile::kThreadN;

  const KTiles<Tile::kBlockK> tiles(p.K);
  RingPlace<kStages> write, read;
  float r_acc[Tile::kThreadM][Tile::kThreadN] = {};  // (ThreadM, ThreadN)

  dispatch_whole(reader_a.whole() && reader_b.whole(), [&]<bool kWhole>() {
    // One group per k-tile, empty beyond the last, so that the number of groups tells which have
    // arrived.
    const auto copy_k_tile = [&](int tile) {
      if (tile < tiles.whole) {
        reader_a.template copy<kWhole>(p.lda);
        reader_b.template copy<kWhole>(p.ldb);
      }
      reader_a.move_target(write.step() * Tile::kBlockK * Tile::kPitchM);
      reader_b.move_target(write.step() * Tile::kBlockK * Tile::kPitchN);
      write.advance();
      cp_async_commit();
    };
    constexpr int kAhead = kStages - 1;
    for (int tile = 0; tile < kAhead; ++tile) copy_k_tile(tile);
    for (int tile = 0; tile < tiles.whole; ++tile) {
      cp_async_wait<kAhead - 1>();
      __syncthreads();  // this k-tile is there for all threads, and all have read the one before
      copy_k_tile(tile + kAhead);
      multiply_tile<Tile>(s_a[read.stage()], s_b[read.stage()], row0, column0, r_acc);
      read.advance();
    }
  });

  if (tiles.rest > 0) {
    __syncthreads();  // all have read the last whole tile
    reader_a.template copy<false>(p.lda, tiles.rest);
    reader_b.template copy<false>(p.ldb, tiles.rest);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    multiply_tile<Tile>(s_a[write.stage()], s_b[write.stage()], row0, column0, r_acc);
  }
  store_gemm_results(p, g, block, row0, column0, ThreadResults{r_acc});
}

Support supports(const GemmProblem& problem, const DeviceInfo& device) {
  const Support async = support_async_copies(device);
  return async.ok() ? support_float32(problem.dtype) : async;
}

Status launch_gemm_cp_async(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_transposes(problem, [&]<bool kTransposeA, bool kTransposeB>() {
    return launch(gemm_cp_async_kernel<kTransposeA, kTransposeB>, gemm_blocks<Tile>(problem),
                  Tile::kThreads, 0, stream, problem, gemm_operands<float>(operands));
  });
}

}  // namespace

const KernelEntry gemm_cp_async_entry =
    stateless_kernel_entry<GemmProblem, supports, launch_gemm_cp_async>(
        "gemm_cp_async", "four stages of asynchronous copies to shared memory");

}  // namespace tessera::cuda
