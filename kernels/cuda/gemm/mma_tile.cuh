// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/cuda/gemm/gemm_operands.cuh"
#include "kernels/cuda/gemm/gemm_store.cuh"
#include "kernels/cuda/gemm/stored_tile.cuh"
#include "kernels/cuda/ptx/mma.cuh"

// A block's tile of a matrix product on tensor cores: warps with tiles of (16, 8) results per
// instruction, fragments read from shared memory (kernels/cuda/ptx/mma.cuh says which lane holds
// which element).

namespace tessera::cuda {

// Tile (BlockM, BlockN) of D a block, (WarpM, WarpN) of it a warp, k-tiles of BlockK in Stages.
template <typename T, int BlockM, int BlockN, int BlockK, int WarpM, int WarpN, int Stages>
struct MmaTile {
  using Element = T;
  static constexpr int kBlockM = BlockM;
  static constexpr int kBlockN = BlockN;
  static constexpr int kBlockK = BlockK;
  static constexpr int kWarpM = WarpM;
  static constexpr int kWarpN = WarpN;
  static constexpr int kStages = Stages;
  static constexpr int kWarpsN = BlockN / WarpN;
  static constexpr int kThreads = BlockM / WarpM * kWarpsN * 32;
  static constexpr int kMmaM = 16;
  static constexpr int kMmaN = 8;
  static constexpr int kMmasM = WarpM / kMmaM;
  static constexpr int kMmasN = WarpN / kMmaN;
  static constexpr int kSteps = BlockK / kMmaK<T>;

  static_assert(BlockM % WarpM == 0 && BlockN % WarpN == 0, "warps tile the block evenly");
  static_assert(WarpM % kMmaM == 0 && WarpN % (2 * kMmaN) == 0, "B is read two fragments at once");
  static_assert(BlockK % kMmaK<T> == 0 && kSteps % 2 == 0, "the two sets of fragments take turns");
  static_assert(Stages >= 3, "one stage is read, one arrives, one is written");
};

// The first row and column of a warp's tile in the block's.
struct WarpPosition {
  int m, n;
};
template <typename Tile>
__device__ __forceinline__ WarpPosition warp_position() {
  const int warp = threadIdx.x / 32;
  return {warp / Tile::kWarpsN * Tile::kWarpM, warp % Tile::kWarpsN * Tile::kWarpN};
}

// The fragments of a warp's tile for one step along k.
template <typename Tile>
struct MmaFragments {
  uint32_t a[Tile::kMmasM][4];
  uint32_t b[Tile::kMmasN][2];

  // r_acc += A * B of this step.
  __device__ __forceinline__ void multiply(float (&r_acc)[Tile::kMmasM][Tile::kMmasN][4]) const {
#pragma unroll
    for (int i = 0; i < Tile::kMmasM; ++i) {
#pragma unroll
      for (int step = 0; step < Tile::kMmasN; ++step) {
        const int j = i % 2 == 0 ? step : Tile::kMmasN - 1 - step;  // B's registers are read again
        multiply_matrices<typename Tile::Element>(a[i], b[j], r_acc[i][j]);
      }
    }
  }
};

// Reads fragments from a stage: from where this lane's share of the first ones lies, all others are
// at distances that the compiler knows.
template <typename Tile, typename Stage>
class FragmentReader {
  using T = typename Tile::Element;
  using TileA = decltype(Stage::a);
  using TileB = decltype(Stage::b);

 public:
  __device__ __forceinline__ FragmentReader(const Stage& s_stage, WarpPosition warp)
      : s_a_(s_stage.a.at(warp.m + lane_m(), lane_k_a())),
        s_b_(s_stage.b.at(warp.n + lane_n(), lane_k_b())) {}

  // The fragments of the step along k that begins at k.
  __device__ __forceinline__ void load(int k, MmaFragments<Tile>& r_fragments) const {
#pragma unroll
    for (int i = 0; i < Tile::kMmasM; ++i) {
      load_a(s_a_ + TileA::offset(i * Tile::kMmaM, k), r_fragments.a[i]);
    }
#pragma unroll
    for (int j = 0; j < Tile::kMmasN; j += 2) {
      load_b(s_b_ + TileB::offset(j * Tile::kMmaN, k), r_fragments.b[j], r_fragments.b[j + 1]);
    }
  }

  // Makes the next load read from a stage that begins this many elements further.
  __device__ __forceinline__ void move(int elements) {
    s_a_ += elements;
    s_b_ += elements;
  }

 private:
  static constexpr bool kTf32 = sizeof(T) == 4;
  static constexpr bool kKFastestA = TileA::kKFastest;
  static constexpr bool kKFastestB = TileB::kKFastest;

  // Where lanes begin. TF32: at their own element. 16-bit: at the row of 16 bytes, along k or
  // across it, that ldmatrix wants the address of: of A (16, 16) the quarters in the order rows,
  // then k; of two neighbouring (16, 8) of B in the order k, then columns.
  __device__ __forceinline__ static int lane() { return threadIdx.x % 32; }
  __device__ __forceinline__ static int lane_m() {
    return kTf32 ? lane() / 4 : kKFastestA ? lane() % 16 : lane() / 8 % 2 * 8;
  }
  __device__ __forceinline__ static int lane_k_a() {
    return kTf32 ? lane() % 4 : kKFastestA ? lane() / 16 * 8 : lane() % 8 + lane() / 16 * 8;
  }
  __device__ __forceinline__ static int lane_n() {
    return kTf32 ? lane() / 4 : kKFastestB ? lane() % 8 + lane() / 16 * 8 : lane() / 16 * 8;
  }
  __device__ __forceinline__ static int lane_k_b() {
    return kTf32 ? lane() % 4 : kKFastestB ? lane() / 8 % 2 * 8 : lane() % 16;
  }

  __device__ __forceinline__ static void load_a(const T* s_lane, uint32_t (&r_a)[4]) {
    if constexpr (kTf32) {
      r_a[0] = round_to_tf32(s_lane[TileA::offset(0, 0)]);
      r_a[1] = round_to_tf32(s_lane[TileA::offset(8, 0)]);
      r_a[2] = round_to_tf32(s_lane[TileA::offset(0, 4)]);
      r_a[3] = round_to_tf32(s_lane[TileA::offset(8, 4)]);
    } else if constexpr (kKFastestA) {
      load_matrices(s_lane, r_a);
    } else {
      load_matrices_transposed(s_lane, r_a);
    }
  }

  __device__ __forceinline__ static void load_b(const T* s_lane, uint32_t (&r_b0)[2],
                                                uint32_t (&r_b1)[2]) {
    if constexpr (kTf32) {
      r_b0[0] = round_to_tf32(s_lane[TileB::offset(0, 0)]);
      r_b0[1] = round_to_tf32(s_lane[TileB::offset(0, 4)]);
      r_b1[0] = round_to_tf32(s_lane[TileB::offset(8, 0)]);
      r_b1[1] = round_to_tf32(s_lane[TileB::offset(8, 4)]);
    } else {
      uint32_t r_b[4];
      if constexpr (kKFastestB) {
        load_matrices(s_lane, r_b);
      } else {
        load_matrices_transposed(s_lane, r_b);
      }
      r_b0[0] = r_b[0];
      r_b0[1] = r_b[1];
      r_b1[0] = r_b[2];
      r_b1[1] = r_b[3];
    }
  }

  const T* s_a_;
  const T* s_b_;
};

// A thread's results, those of multiply_matrices beside and below each other: a row g and a row
// g + 8 of each, two neighbouring columns. The first is at (g, 2t) of the warp's tile.
template <int MmasM, int MmasN>
struct MmaResults {
  static constexpr int kRows = 2 * MmasM;
  static constexpr int kColumns = 2 * MmasN;
  static constexpr int kVector = 2;

  float (&r_acc)[MmasM][MmasN][4];

  __device__ __forceinline__ static constexpr int row(int i) { return i * 8; }
  __device__ __forceinline__ static constexpr int column(int j) { return j / 2 * 8 + j % 2; }
  __device__ __forceinline__ float& at(int i, int j) const {
    return r_acc[i / 2][j / 2][i % 2 * 2 + j % 2];
  }
};

// Stores a warp's results.
template <typename Tile, typename T>
__device__ __forceinline__ void store_mma_tile(const GemmProblem& p, const GemmOperands<T>& g,
                                               const BlockPosition& block, WarpPosition warp,
                                               float (&r_acc)[Tile::kMmasM][Tile::kMmasN][4]) {
  const int lane = threadIdx.x % 32;
  store_gemm_results(p, g, block, warp.m + lane / 4, warp.n + lane % 4 * 2, MmaResults{r_acc});
}

}  // namespace tessera::cuda
