// SPDX-License-Identifier: Apache-2.0
// gemm_warp_tile: D = activation(alpha * op(A) * op(B) + beta * bias + residual), with asynchronous
// copies as gemm_cp_async, and
//   - warps with compact tiles and lanes in an order that reads shared memory without conflicts,
//   - blocks in an order in which those that run together share rows of A and columns of B in L2,
//   - three sizes of tiles, of which a problem gets the largest that keeps the GPU busy.
//
//   operands  float32, any M, N, K (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes,
//             batch
//   alignment 4 bytes; 16 bytes and leading dimensions of a multiple of 4 make the loads vectors,
//             decided per block
//   device    compute capability 8.0 or later
//   sum       float32, k ascending; deterministic
#include <memory>

#include "kernels/cuda/gemm/async_reader.cuh"
#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/gemm_store.cuh"
#include "kernels/cuda/gemm/k_tiles.cuh"
#include "kernels/cuda/gemm/warp_tile.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// 8 x 8 results per thread, of 128 registers half: two blocks fit a multiprocessor, and one
// computes while the other is at its barrier.
using LargeTile = WarpTile<128, 128, 16, 64, 32, 2>;
// 4 x 8 results per thread.
using MediumTile = WarpTile<64, 128, 16, 32, 32, 2>;
// 4 x 4 results per thread. Few warps per multiprocessor wait for each k-tile, hence a longer one.
using SmallTile = WarpTile<32, 64, 32, 32, 16, 4>;

// The k-tiles in shared memory: one is multiplied while the others arrive.
constexpr int kStages = 3;
template <typename Tile>
struct SharedTiles {
  float a[kStages][Tile::kBlockK][Tile::kPitchM];
  float b[kStages][Tile::kBlockK][Tile::kPitchN];
};

// A thread's results: pieces of 4 x 4 in every part of its warp's tile.
template <typename Tile>
struct WarpTileResults {
  static constexpr int kRows = Tile::kThreadM;
  static constexpr int kColumns = Tile::kThreadN;
  static constexpr int kVector = 4;

  float (&r_acc)[Tile::kThreadM][Tile::kThreadN];

  __device__ __forceinline__ static constexpr int row(int i) {
    return i / 4 * Tile::kPieceStepM + i % 4;
  }
  __device__ __forceinline__ static constexpr int column(int j) {
    return j / 4 * Tile::kPieceStepN + j % 4;
  }
  __device__ __forceinline__ float& at(int i, int j) const { return r_acc[i][j]; }
};

template <typename Tile, bool kTransposeA, bool kTransposeB>
__global__
__launch_bounds__(Tile::kThreads, Tile::kBlocksPerMultiprocessor) void gemm_warp_tile_kernel(
    const __grid_constant__ GemmProblem p, const __grid_constant__ GemmOperands<float> g) {
  extern __shared__ float4 s_memory[];
  auto& s_tiles = *reinterpret_cast<SharedTiles<Tile>*>(s_memory);

  const BlockPosition block = panel_position<Tile>(p);
  AsyncReader<Tile::kThreads, Tile::kBlockM, Tile::kBlockK, Tile::kPitchM, !kTransposeA> reader_a(
      tile_rows_a(p, g, block.batch, block.m), p.lda, p.M - block.m, s_tiles.a[0]);
  AsyncReader<Tile::kThreads, Tile::kBlockN, Tile::kBlockK, Tile::kPitchN, kTransposeB> reader_b(
      tile_columns_b(p, g, block.batch, block.n), p.ldb, p.N - block.n, s_tiles.b[0]);
  constexpr int kStageA = Tile::kBlockK * Tile::kPitchM;
  constexpr int kStageB = Tile::kBlockK * Tile::kPitchN;

  const ThreadPosition thread = thread_position<Tile>();
  const float* s_a = &s_tiles.a[0][0][thread.row];
  const float* s_b = &s_tiles.b[0][0][thread.column];
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
      reader_a.move_target(write.step() * kStageA);
      reader_b.move_target(write.step() * kStageB);
      write.advance();
      cp_async_commit();
    };
    constexpr int kAhead = kStages - 1;
    for (int tile = 0; tile < kAhead; ++tile) copy_k_tile(tile);
    for (int tile = 0; tile < tiles.whole; ++tile) {
      cp_async_wait<kAhead - 1>();
      __syncthreads();  // this k-tile is there for all threads, and all have read the one before
      copy_k_tile(tile + kAhead);
      multiply_warp_tile<Tile>(s_a, s_b, r_acc);
      s_a += read.step() * kStageA;
      s_b += read.step() * kStageB;
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
    multiply_warp_tile<Tile>(s_a + (write.stage() - read.stage()) * kStageA,
                             s_b + (write.stage() - read.stage()) * kStageB, r_acc);
  }
  store_gemm_results(p, g, block, thread.row, thread.column, WarpTileResults<Tile>{r_acc});
}

Support supports(const Problem& any_problem, const DeviceInfo& device) {
  const Support async = support_async_copies(device);
  return async.ok() ? support_float32(std::get<GemmProblem>(any_problem).dtype) : async;
}

template <typename Tile>
Status launch_gemm_warp_tile(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_transposes(problem, [&]<bool kTransposeA, bool kTransposeB>() {
    return launch(gemm_warp_tile_kernel<Tile, kTransposeA, kTransposeB>, gemm_blocks<Tile>(problem),
                  Tile::kThreads, sizeof(SharedTiles<Tile>), stream, problem,
                  gemm_operands<float>(operands));
  });
}

// Whether nine of ten multiprocessors get a block and no tile lies by half or more outside D.
template <typename Tile>
bool suits(const GemmProblem& problem, const DeviceInfo& device) {
  return 10 * gemm_blocks<Tile>(problem) >= 9 * int64_t{device.multiprocessors} &&
         problem.M > Tile::kBlockM / 2 && problem.N > Tile::kBlockN / 2;
}

template <typename Tile>
std::unique_ptr<Kernel> make_kernel(const GemmProblem& problem) {
  return std::make_unique<internal::StatelessKernel<GemmProblem, launch_gemm_warp_tile<Tile>>>(
      problem);
}

Result<std::unique_ptr<Kernel>> create(const Problem& any_problem, Device& device) {
  const auto& problem = std::get<GemmProblem>(any_problem);
  if (suits<LargeTile>(problem, device.info())) return make_kernel<LargeTile>(problem);
  if (suits<MediumTile>(problem, device.info())) return make_kernel<MediumTile>(problem);
  return make_kernel<SmallTile>(problem);
}

}  // namespace

const KernelEntry gemm_warp_tile_entry = {
    "gemm_warp_tile", GemmProblem::kFamily,
    "warp tiles in three stages, blocks in panels, the tile chosen by the size of D", supports,
    create};

}  // namespace tessera::cuda
