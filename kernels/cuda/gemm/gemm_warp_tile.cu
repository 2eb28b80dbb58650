// SPDX-License-Identifier: Apache-2.0
// gemm_warp_tile: D = activation(alpha * op(A) * op(B) + beta * bias + residual), double buffered
// as gemm_double_buffer, and
//   - warps with compact tiles and lanes in an order that reads shared memory without conflicts,
//   - blocks in an order in which those that run together share rows of A and columns of B in L2,
//   - three sizes of tiles, of which a problem gets the largest that keeps the GPU busy.
//
//   operands  float32, any M, N, K (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes,
//             batch
//   alignment 4 bytes; 16 bytes and leading dimensions of a multiple of 4 make the loads vectors,
//             decided per block
//   sum       float32, k ascending; deterministic
#include <memory>

#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/tile_reader.cuh"
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
using MediumTile = WarpTile<64, 64, 16, 32, 32, 4>;
// 4 x 4 results per thread. Few warps per multiprocessor wait for each k-tile, hence a longer one.
using SmallTile = WarpTile<32, 32, 32, 32, 16, 8>;

// Tile rows per panel. Blocks go down the rows of a panel first and then to the next column, so
// that those running together cover a nearly square part of D.
constexpr uint32_t kPanelRows = 8;

template <typename Tile>
__device__ __forceinline__ BlockPosition panel_position(const GemmProblem& p) {
  const auto tiles_n = static_cast<uint32_t>(ceil_div<int64_t>(p.N, Tile::kBlockN));
  const auto tiles_m = static_cast<uint32_t>(ceil_div<int64_t>(p.M, Tile::kBlockM));
  const uint32_t batch = blockIdx.x / (tiles_m * tiles_n);
  const uint32_t tile = blockIdx.x % (tiles_m * tiles_n);
  const uint32_t first_row = tile / (kPanelRows * tiles_n) * kPanelRows;
  const uint32_t rows_left = tiles_m - first_row;
  const uint32_t rows = rows_left < kPanelRows ? rows_left : kPanelRows;
  const uint32_t in_panel = tile - first_row * tiles_n;
  return {batch, static_cast<int64_t>(first_row + in_panel % rows) * Tile::kBlockM,
          static_cast<int64_t>(in_panel / rows) * Tile::kBlockN};
}

template <typename Tile, ActivationKind kActivation>
__global__
__launch_bounds__(Tile::kThreads, Tile::kBlocksPerMultiprocessor) void gemm_warp_tile_kernel(
    const __grid_constant__ GemmProblem p, GemmOperands g) {
  // (Buffers, BlockK, BlockM) and (Buffers, BlockK, BlockN)
  __shared__ __align__(16) float s_a[Tile::kBuffers][Tile::kBlockK][Tile::kPitchM];
  __shared__ __align__(16) float s_b[Tile::kBuffers][Tile::kBlockK][Tile::kPitchN];

  const BlockPosition block = panel_position<Tile>(p);
  const ThreadPosition thread = thread_position<Tile>();
  const MatrixView a = view_a(p, g, block.batch);  // (M, K)
  const MatrixView b = view_b(p, g, block.batch);  // (K, N)
  TileReader<Tile::kThreads, Tile::kBlockM, Tile::kBlockK> reader_a(
      a.data + block.m * a.row_stride, a.row_stride, a.column_stride, p.M - block.m);
  TileReader<Tile::kThreads, Tile::kBlockN, Tile::kBlockK> reader_b(
      b.data + block.n * b.column_stride, b.column_stride, b.row_stride, p.N - block.n);

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
    multiply_warp_tile<Tile>(s_a[buffer], s_b[buffer], thread, r_acc);
    // The other buffer was last read before the barrier of the round before.
    buffer ^= 1;
    reader_a.store(s_a[buffer]);
    reader_b.store(s_b[buffer]);
    __syncthreads();
  }
  multiply_warp_tile<Tile>(s_a[buffer], s_b[buffer], thread, r_acc);

#pragma unroll
  for (int i = 0; i < Tile::kThreadM; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kThreadN; j += 4) {
      const float x[4] = {r_acc[i][j], r_acc[i][j + 1], r_acc[i][j + 2], r_acc[i][j + 3]};
      store_gemm_vector<kActivation>(p, g, block.batch,
                                     block.m + thread.row + i / 4 * Tile::kPieceStepM + i % 4,
                                     block.n + thread.column + j / 4 * Tile::kPieceStepN, x);
    }
  }
}

Support supports(const Problem& problem, const DeviceInfo&) {
  return support_float32(std::get<GemmProblem>(problem).dtype);
}

template <typename Tile>
Status launch_gemm_warp_tile(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_activation(problem.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(gemm_warp_tile_kernel<Tile, kActivation>, gemm_blocks<Tile>(problem),
                  Tile::kThreads, 0, stream, problem, gemm_operands(operands));
  });
}

// Whether every multiprocessor gets a block and no tile lies by half or more outside D.
template <typename Tile>
bool suits(const GemmProblem& problem, const DeviceInfo& device) {
  return gemm_blocks<Tile>(problem) >= device.multiprocessors && problem.M > Tile::kBlockM / 2 &&
         problem.N > Tile::kBlockN / 2;
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
    "warp tiles in two buffers, blocks in panels, the tile chosen by the size of D", supports,
    create};

}  // namespace tessera::cuda
