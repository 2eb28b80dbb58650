// SPDX-License-Identifier: Apache-2.0
// gemm_mma_pipelined: D = activation(alpha * op(A) * op(B) + beta * bias + residual) on tensor
// cores with the instructions that WMMA hides: ldmatrix reads the fragments of the next step while
// mma multiplies those of this one, and asynchronous copies run several k-tiles ahead.
//
//   operands  float16, bfloat16, or float32 that allows TF32 (rounded to nearest); any M, N, K
//             (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes, batch
//   alignment that of the element; 16 bytes and leading dimensions of a multiple of 16 bytes make
//             the copies asynchronous vectors, decided per block
//   device    compute capability 8.0 or later; the large tile takes 180 KB of shared memory
//   sum       float32 in the tensor cores' order, k-tiles ascending; deterministic
#include <memory>

#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/k_tiles.cuh"
#include "kernels/cuda/gemm/mma_tile.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// 64 x 64 results per warp: 128 registers of a thread. 32-bit elements take tiles half as deep.
template <typename T>
using LargeTile = MmaTile<T, 128, 256, 64 / sizeof(T), 64, 64, 6>;
// 32 x 32 results per warp: many blocks of few warps for small products.
template <typename T>
using SmallTile = MmaTile<T, 64, 64, 64 / sizeof(T), 32, 32, 6>;

template <typename T, typename Tile, bool kTransposeA, bool kTransposeB>
__global__ __launch_bounds__(Tile::kThreads) void gemm_mma_pipelined_kernel(
    const __grid_constant__ GemmProblem p, const __grid_constant__ GemmOperands<T> g) {
  using Stage = StoredStage<T, Tile, kTransposeA, kTransposeB>;
  extern __shared__ float4 s_memory[];
  auto* s_stages = reinterpret_cast<Stage*>(s_memory);  // (Stages)

  const BlockPosition block = panel_position<Tile>(p);
  const WarpPosition warp = warp_position<Tile>();
  StoredTileCopier<decltype(Stage::a), Tile::kThreads, Tile::kSteps> copier_a(
      tile_rows_a(p, g, block.batch, block.m), p.lda, p.M - block.m, s_stages[0].a);
  StoredTileCopier<decltype(Stage::b), Tile::kThreads, Tile::kSteps> copier_b(
      tile_columns_b(p, g, block.batch, block.n), p.ldb, p.N - block.n, s_stages[0].b);

  FragmentReader<Tile, Stage> reader(s_stages[0], warp);
  const KTiles<Tile::kBlockK> tiles(p.K);
  RingPlace<Tile::kStages> write, read;
  MmaFragments<Tile> r_fragments[2];
  float r_acc[Tile::kMmasM][Tile::kMmasN][4] = {};

  dispatch_whole(copier_a.whole() && copier_b.whole(), [&]<bool kWhole>() {
    // A k-tile is copied in as many parts as it is multiplied in. One group per k-tile, empty
    // beyond the last, so that the number of groups tells which have arrived.
    const auto copy_part = [&](int tile, int part) {
      if (tile < tiles.whole) {
        copier_a.template copy<kWhole>(p.lda, part);
        copier_b.template copy<kWhole>(p.ldb, part);
      }
      if (part < Tile::kSteps - 1) return;
      copier_a.move_target(write.step() * Stage::kElements);
      copier_b.move_target(write.step() * Stage::kElements);
      write.advance();
      cp_async_commit();
    };
    constexpr int kAhead = Tile::kStages - 1;
    for (int tile = 0; tile < kAhead; ++tile) {
#pragma unroll
      for (int part = 0; part < Tile::kSteps; ++part) copy_part(tile, part);
    }
    cp_async_wait<kAhead - 1>();
    __syncthreads();
    if (tiles.whole > 0) reader.load(0, r_fragments[0]);
    for (int tile = 0; tile < tiles.whole; ++tile) {
#pragma unroll
      for (int step = 0; step < Tile::kSteps; ++step) {
        const int next_step = (step + 1) % Tile::kSteps;
        if (next_step == 0) {
          // The next k-tile is there for all threads, and all have read the last of this one. The
          // group of this round is not complete yet, so that one less may be under way.
          cp_async_wait<kAhead - 2>();
          __syncthreads();
          reader.move(read.step() * Stage::kElements);
          read.advance();
        }
        reader.load(next_step * kMmaK<T>, r_fragments[(step + 1) % 2]);
        copy_part(tile + kAhead, step);
        r_fragments[step % 2].multiply(r_acc);
      }
    }
  });

  if (tiles.rest > 0) {
    __syncthreads();  // all have read the last whole tile
    copier_a.copy_rest(p.lda, tiles.rest);
    copier_b.copy_rest(p.ldb, tiles.rest);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    reader.move((write.stage() - read.stage()) * Stage::kElements);
#pragma unroll
    for (int step = 0; step < Tile::kSteps; ++step) {
      reader.load(step * kMmaK<T>, r_fragments[0]);
      r_fragments[0].multiply(r_acc);
    }
  }
  store_mma_tile<Tile>(p, g, block, warp, r_acc);
}

Support supports(const Problem& any_problem, const DeviceInfo& device) {
  const Support async = support_async_copies(device);
  return async.ok() ? support_tensor_cores(std::get<GemmProblem>(any_problem)) : async;
}

template <typename T, typename Tile, bool kTransposeA, bool kTransposeB>
Status launch_tile(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return launch(gemm_mma_pipelined_kernel<T, Tile, kTransposeA, kTransposeB>,
                gemm_blocks<Tile>(problem), Tile::kThreads,
                sizeof(StoredStage<T, Tile, kTransposeA, kTransposeB>) * Tile::kStages, stream,
                problem, gemm_operands<T>(operands));
}

Status launch_large(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return problem.transpose_b
               ? launch_tile<T, LargeTile<T>, false, true>(problem, operands, stream)
               : launch_tile<T, LargeTile<T>, false, false>(problem, operands, stream);
  });
}

Status launch_small(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return dispatch_transposes(problem, [&]<bool kTransposeA, bool kTransposeB>() {
      return launch_tile<T, SmallTile<T>, kTransposeA, kTransposeB>(problem, operands, stream);
    });
  });
}

Result<std::unique_ptr<Kernel>> create(const Problem& any_problem, Device& device) {
  const auto& problem = std::get<GemmProblem>(any_problem);
  // Half of the multiprocessors with large tiles are as fast as all of them with small ones.
  // A stored transposed is rare, and not worth the large tile's code.
  const bool large = !problem.transpose_a &&
                     2 * gemm_blocks<LargeTile<__half>>(problem) >= device.info().multiprocessors;
  std::unique_ptr<Kernel> kernel;
  if (large) {
    kernel = std::make_unique<internal::StatelessKernel<GemmProblem, launch_large>>(problem);
  } else {
    kernel = std::make_unique<internal::StatelessKernel<GemmProblem, launch_small>>(problem);
  }
  return Result<std::unique_ptr<Kernel>>(std::move(kernel));
}

}  // namespace

const KernelEntry gemm_mma_pipelined_entry = {
    "gemm_mma_pipelined", GemmProblem::kFamily,
    "tensor cores by ldmatrix and mma.sync, fragments one step and copies four k-tiles ahead",
    supports, create};

}  // namespace tessera::cuda
