// SPDX-License-Identifier: Apache-2.0
// gemm_wmma: D = activation(alpha * op(A) * op(B) + beta * bias + residual) on tensor cores through
// WMMA, the operands through shared memory: each element is read from global memory once per block
// instead of once per warp, by asynchronous copies while the k-tile before is multiplied.
//
//   operands  float16, bfloat16, or float32 that allows TF32 (rounded to nearest); any M, N, K
//             (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes, batch
//   alignment that of the element; 16 bytes and leading dimensions of a multiple of 16 bytes make
//             the copies asynchronous vectors, decided per block
//   device    compute capability 8.0 or later
//   sum       float32 in the tensor cores' order, k-tiles ascending; deterministic
#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/k_tiles.cuh"
#include "kernels/cuda/gemm/stored_tile.cuh"
#include "kernels/cuda/gemm/wmma.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// Four warps of (64, 64) results each, half of a thread's registers; two blocks on a
// multiprocessor, of which one computes while the other is at its barrier. 32-bit elements take
// k-tiles half as long.
template <typename T>
using Tile = WmmaTile<128, 128, 128 / sizeof(T), 64, 64>;
constexpr int kStages = 2;
constexpr int kBlocksPerMultiprocessor = 2;

template <typename T, bool kTransposeA, bool kTransposeB>
union SharedMemory {
  StoredStage<T, Tile<T>, kTransposeA, kTransposeB> stage[kStages];
  WmmaScratch scratch[Tile<T>::kWarps];  // once the stages have been read
};

template <typename T, bool kTransposeA, bool kTransposeB>
__global__ __launch_bounds__(Tile<T>::kThreads, kBlocksPerMultiprocessor) void gemm_wmma_kernel(
    const __grid_constant__ GemmProblem p, const __grid_constant__ GemmOperands<T> g) {
  using Stage = StoredStage<T, Tile<T>, kTransposeA, kTransposeB>;
  extern __shared__ __align__(128) unsigned char s_memory[];
  auto& s = *reinterpret_cast<SharedMemory<T, kTransposeA, kTransposeB>*>(s_memory);

  const BlockPosition block = panel_position<Tile<T>>(p);
  StoredTileCopier<decltype(Stage::a), Tile<T>::kThreads> copier_a(
      tile_rows_a(p, g, block.batch, block.m), p.lda, p.M - block.m, s.stage[0].a);
  StoredTileCopier<decltype(Stage::b), Tile<T>::kThreads> copier_b(
      tile_columns_b(p, g, block.batch, block.n), p.ldb, p.N - block.n, s.stage[0].b);
  const int warp = threadIdx.x / 32;
  const int warp_m = warp / Tile<T>::kWarpsN * Tile<T>::kWarpM;
  const int warp_n = warp % Tile<T>::kWarpsN * Tile<T>::kWarpN;
  WmmaAccumulators<T, Tile<T>> r_acc;
  r_acc.clear();
  const T* s_a = s.stage[0].a.at(warp_m, 0);
  const T* s_b = s.stage[0].b.at(warp_n, 0);
  const KTiles<Tile<T>::kBlockK> tiles(p.K);
  RingPlace<kStages> write, read;
  const auto multiply_k_tile = [&] {
#pragma unroll
    for (int k = 0; k < Tile<T>::kBlockK; k += kWmmaK<T>) {
      WmmaProducts<T, Tile<T>, kTransposeA, kTransposeB>::add(
          s_a + decltype(Stage::a)::offset(0, k), decltype(Stage::a)::kPitch,
          s_b + decltype(Stage::b)::offset(0, k), decltype(Stage::b)::kPitch, r_acc);
    }
  };
  const auto move_target = [&] {
    copier_a.move_target(write.step() * Stage::kElements);
    copier_b.move_target(write.step() * Stage::kElements);
    write.advance();
    cp_async_commit();
  };
  const auto await_copies = [] {
    cp_async_wait<0>();
    __syncthreads();  // the k-tile is there for all threads, and all have read the one before
  };

  dispatch_whole(copier_a.whole() && copier_b.whole(), [&]<bool kWhole>() {
    const auto copy_k_tile = [&](int tile) {
      if (tile < tiles.whole) {
        copier_a.template copy<kWhole>(p.lda);
        copier_b.template copy<kWhole>(p.ldb);
      }
      move_target();
    };
    copy_k_tile(0);
    for (int tile = 0; tile < tiles.whole; ++tile) {
      await_copies();
      copy_k_tile(tile + 1);
      multiply_k_tile();
      s_a += read.step() * Stage::kElements;
      s_b += read.step() * Stage::kElements;
      read.advance();
    }
  });
  if (tiles.rest > 0) {
    __syncthreads();  // all have read the last whole tile
    copier_a.copy_rest(p.lda, tiles.rest);
    copier_b.copy_rest(p.ldb, tiles.rest);
    cp_async_commit();
    await_copies();
    s_a += (write.stage() - read.stage()) * Stage::kElements;
    s_b += (write.stage() - read.stage()) * Stage::kElements;
    multiply_k_tile();
  }
  await_copies();
  r_acc.store(p, g, block, warp_m, warp_n, s.scratch[warp]);
}

Support supports(const GemmProblem& problem, const DeviceInfo& device) {
  const Support async = support_async_copies(device);
  return async.ok() ? support_tensor_cores(problem) : async;
}

Status launch_gemm_wmma(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return dispatch_transposes(problem, [&]<bool kTransposeA, bool kTransposeB>() {
      return launch(gemm_wmma_kernel<T, kTransposeA, kTransposeB>, gemm_blocks<Tile<T>>(problem),
                    Tile<T>::kThreads, sizeof(SharedMemory<T, kTransposeA, kTransposeB>), stream,
                    problem, gemm_operands<T>(operands));
    });
  });
}

}  // namespace

const KernelEntry gemm_wmma_entry = stateless_kernel_entry<GemmProblem, supports, launch_gemm_wmma>(
    "gemm_wmma", "tensor cores by WMMA, tiles through two stages of shared memory");

}  // namespace tessera::cuda
