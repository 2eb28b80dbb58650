// SPDX-License-Identifier: Apache-2.0
#include "core/math.h"
#include "kernels/cuda/conv/conv_product.cuh"
#include "kernels/cuda/conv/winograd_gemm.h"
#include "kernels/cuda/launch.cuh"

namespace tessera::cuda {
namespace {

// 8 x 8 results per thread.
using LargeTile = WarpTile<64, 128, kWinogradDepth, 64, 32, 4>;
// 4 x 8 results per thread, where there would be too few blocks.
using SmallTile = WarpTile<32, 64, kWinogradDepth, 32, 32, 8>;
static_assert(kWinogradPitch % LargeTile::kBlockM == 0 && kWinogradPitch % SmallTile::kBlockN == 0,
              "rows of A are whole tiles, as are rows of B for the smaller one");

// k-tiles of a stored operand, 16 bytes a copy. Nothing is read at or beyond columns_left.
template <typename Tile>
class StoredColumns {
 public:
  __device__ __forceinline__ StoredColumns(const float* __restrict__ g_columns, int64_t pitch,
                                           int64_t columns_left)
      : pitch_(pitch) {
    const int column = threadIdx.x % kVectors * 4;
    bytes_ = column < columns_left ? 16 : 0;
    g_vector_ = g_columns + threadIdx.x / kVectors * pitch + column;
  }

  __device__ __forceinline__ void copy(float (&s_columns)[Tile::kBlockK][Tile::kPitchN]) {
#pragma unroll
    for (int row = 0; row < Tile::kBlockK; row += kRowStep) {
      cp_async<16>(&s_columns[row + threadIdx.x / kVectors][threadIdx.x % kVectors * 4], g_vector_,
                   bytes_);
      g_vector_ += kRowStep * pitch_;
    }
  }

 private:
  static constexpr int kVectors = Tile::kBlockN / 4;
  static constexpr int kRowStep = Tile::kThreads / kVectors;
  static_assert(Tile::kThreads % kVectors == 0 && Tile::kBlockK % kRowStep == 0,
                "a thread keeps its columns, and the passes cover the rows");

  int64_t pitch_;
  int bytes_;
  const float* g_vector_;
};

template <typename Tile>
__global__
__launch_bounds__(Tile::kThreads, Tile::kBlocksPerMultiprocessor) void winograd_gemm_kernel(
    const __grid_constant__ WinogradGemm p) {
  __shared__ __align__(16) SharedTiles<Tile> s_tiles;
  const auto tiles_m = static_cast<uint32_t>(ceil_div<int64_t>(p.M, Tile::kBlockM));
  const auto tiles_n = static_cast<uint32_t>(ceil_div<int64_t>(p.pitch_n, Tile::kBlockN));
  const int64_t row0 = int64_t{blockIdx.x % tiles_m} * Tile::kBlockM;
  const int64_t column0 = int64_t{blockIdx.x / tiles_m % tiles_n} * Tile::kBlockN;
  const int64_t batch = blockIdx.x / tiles_m / tiles_n;
  const ThreadPosition thread = thread_position<Tile>();

  const float* g_a = p.a + batch * p.depth * p.pitch_m + row0;
  const float* g_b = p.b + batch * p.depth * p.pitch_n + column0;
  StoredColumns<Tile> columns(g_b, p.pitch_n, p.pitch_n - column0);
  float r_acc[Tile::kThreadM][Tile::kThreadN] = {};  // (ThreadM, ThreadN)
  multiply_k_tiles<Tile>(g_a, p.pitch_m, static_cast<int>(p.depth / Tile::kBlockK), columns, thread,
                         s_tiles, r_acc);

#pragma unroll
  for (int i = 0; i < Tile::kThreadM; ++i) {
    const int64_t m = row0 + thread.row + i / 4 * Tile::kPieceStepM + i % 4;
#pragma unroll
    for (int j = 0; j < Tile::kThreadN; j += 4) {
      const int64_t n = column0 + thread.column + j / 4 * Tile::kPieceStepN;
      if (m >= p.M || n >= p.pitch_n) continue;
      *reinterpret_cast<float4*>(&p.d[(batch * p.M + m) * p.pitch_n + n]) =
          make_float4(r_acc[i][j], r_acc[i][j + 1], r_acc[i][j + 2], r_acc[i][j + 3]);
    }
  }
}

template <typename Tile>
int64_t blocks_of(const WinogradGemm& gemm) {
  return gemm.batch * ceil_div<int64_t>(gemm.M, Tile::kBlockM) *
         ceil_div<int64_t>(gemm.pitch_n, Tile::kBlockN);
}

template <typename Tile>
Status launch_with(const WinogradGemm& gemm, Stream& stream) {
  return launch(winograd_gemm_kernel<Tile>, blocks_of<Tile>(gemm), Tile::kThreads, 0, stream, gemm);
}

}  // namespace

Status launch_winograd_gemm(const WinogradGemm& gemm, const DeviceInfo& device, Stream& stream) {
  // Three blocks of four warps give a multiprocessor enough to hide latencies with.
  constexpr int kEnoughBlocks = 3;
  const bool half_empty = gemm.pitch_n <= LargeTile::kBlockN / 2;
  const bool enough = blocks_of<LargeTile>(gemm) >= int64_t{kEnoughBlocks} * device.multiprocessors;
  if (enough && !half_empty) return launch_with<LargeTile>(gemm, stream);
  return launch_with<SmallTile>(gemm, stream);
}

}  // namespace tessera::cuda
