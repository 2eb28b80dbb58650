// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>
#include <mma.h>

#include "kernels/cuda/gemm/gemm_operands.cuh"
#include "kernels/cuda/gemm/gemm_store.cuh"

// Matrix products of a warp through CUDA's WMMA interface (CUDA C++ Programming Guide, "Warp Matrix
// Functions"), which hides where a fragment's elements lie.

namespace tessera::cuda {

// Rows, columns and k of one product; T = float means TF32.
constexpr int kWmmaM = 16;
constexpr int kWmmaN = 16;
template <typename T>
constexpr int kWmmaK = 32 / static_cast<int>(sizeof(T));

// Tile (BlockM, BlockN) of D a block, k-tiles of BlockK, (WarpM, WarpN) of D a warp.
template <int BlockM, int BlockN, int BlockK, int WarpM, int WarpN>
struct WmmaTile {
  static constexpr int kBlockM = BlockM;
  static constexpr int kBlockN = BlockN;
  static constexpr int kBlockK = BlockK;
  static constexpr int kWarpM = WarpM;
  static constexpr int kWarpN = WarpN;
  static constexpr int kWarpsN = BlockN / WarpN;
  static constexpr int kWarps = BlockM / WarpM * kWarpsN;
  static constexpr int kThreads = kWarps * 32;
  static constexpr int kFragmentsM = WarpM / kWmmaM;
  static constexpr int kFragmentsN = WarpN / kWmmaN;

  static_assert(BlockM % WarpM == 0 && BlockN % WarpN == 0, "warps tile the block evenly");
  static_assert(WarpM % kWmmaM == 0 && WarpN % kWmmaN == 0, "fragments tile the warp evenly");
};

// One fragment of results in shared memory. With this pitch the eight rows that the lanes write at
// once lie in different banks.
struct alignas(32) WmmaScratch {
  static constexpr int kPitch = kWmmaN + 8;
  float element[kWmmaM][kPitch];
};

// A lane's results once they went through the scratch: two lanes share a row of a fragment.
constexpr int kLanesN = 2;
constexpr int kLaneColumns = kWmmaN / kLanesN;
template <typename T, typename Tile>
struct WmmaResults {
  static constexpr int kRows = Tile::kFragmentsM;
  static constexpr int kColumns = Tile::kFragmentsN * kLaneColumns;
  static constexpr int kVector = std::min(kLaneColumns, kVectorElements<T>);

  mutable float r_results[kRows][kColumns];

  __device__ __forceinline__ static constexpr int row(int i) { return i * kWmmaM; }
  __device__ __forceinline__ static constexpr int column(int j) {
    return j / kLaneColumns * kWmmaN + j % kLaneColumns;
  }
  __device__ __forceinline__ float& at(int i, int j) const { return r_results[i][j]; }
};

// A warp's results.
template <typename T, typename Tile>
struct WmmaAccumulators {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, kWmmaM, kWmmaN, kWmmaK<T>, float>
      c[Tile::kFragmentsM][Tile::kFragmentsN];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (auto& row : c) {
#pragma unroll
      for (auto& fragment : row) nvcuda::wmma::fill_fragment(fragment, 0.0f);
    }
  }

  // Stores them with the epilogue, the first at (row, column) of the block's tile. Which lane holds
  // which element is not specified, so that each fragment goes through s_scratch, memory of this
  // warp alone.
  __device__ __forceinline__ void store(const GemmProblem& p, const GemmOperands<T>& g,
                                        const BlockPosition& block, int row, int column,
                                        WmmaScratch& s_scratch) const {
    const int lane = threadIdx.x % 32;
    const int lane_row = lane / kLanesN;
    const int lane_column = lane % kLanesN * kLaneColumns;
    WmmaResults<T, Tile> r_results;
#pragma unroll
    for (int i = 0; i < Tile::kFragmentsM; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kFragmentsN; ++j) {
        nvcuda::wmma::store_matrix_sync(&s_scratch.element[0][0], c[i][j], WmmaScratch::kPitch,
                                        nvcuda::wmma::mem_row_major);
        __syncwarp();
#pragma unroll
        for (int e = 0; e < kLaneColumns; ++e) {
          r_results.at(i, j * kLaneColumns + e) = s_scratch.element[lane_row][lane_column + e];
        }
        __syncwarp();
      }
    }
    store_gemm_results(p, g, block, row + lane_row, column + lane_column, r_results);
  }
};

// The products of a warp's tile over kWmmaK of k. An operand stored transposed is column-major.
template <typename T, typename Tile, bool kTransposeA, bool kTransposeB>
class WmmaProducts {
  static constexpr bool kTf32 = sizeof(T) == 4;
  using Element = std::conditional_t<kTf32, nvcuda::wmma::precision::tf32, T>;
  template <bool kTranspose>
  using Major = std::conditional_t<kTranspose, nvcuda::wmma::col_major, nvcuda::wmma::row_major>;
  template <typename Use, bool kTranspose>
  using Fragment =
      nvcuda::wmma::fragment<Use, kWmmaM, kWmmaN, kWmmaK<T>, Element, Major<kTranspose>>;

 public:
  // r_acc += A * B, from the first elements of the warp's rows of A and columns of B, with the
  // distance between their stored rows. Both pointers 32-byte aligned, the distances multiples of
  // 16 bytes. One fragment of A at a time: all of both operands and the accumulators are more
  // registers than a thread of two blocks on a multiprocessor has.
  __device__ __forceinline__ static void add(const T* first_a, unsigned pitch_a, const T* first_b,
                                             unsigned pitch_b, WmmaAccumulators<T, Tile>& r_acc) {
    Fragment<nvcuda::wmma::matrix_b, kTransposeB> r_b[Tile::kFragmentsN];
#pragma unroll
    for (int j = 0; j < Tile::kFragmentsN; ++j) {
      const int64_t column = j * kWmmaN;
      load(r_b[j], first_b + (kTransposeB ? column * pitch_b : column), pitch_b);
    }
#pragma unroll
    for (int i = 0; i < Tile::kFragmentsM; ++i) {
      const int64_t row = i * kWmmaM;
      Fragment<nvcuda::wmma::matrix_a, kTransposeA> r_a;
      load(r_a, first_a + (kTransposeA ? row : row * pitch_a), pitch_a);
#pragma unroll
      for (int j = 0; j < Tile::kFragmentsN; ++j) {
        nvcuda::wmma::mma_sync(r_acc.c[i][j], r_a, r_b[j], r_acc.c[i][j]);
      }
    }
  }

 private:
  template <typename Fragment>
  __device__ __forceinline__ static void load(Fragment& r_fragment, const T* first,
                                              unsigned pitch) {
    nvcuda::wmma::load_matrix_sync(r_fragment, first, pitch);
    if constexpr (kTf32) {
#pragma unroll
      for (int e = 0; e < r_fragment.num_elements; ++e) {
        r_fragment.x[e] = nvcuda::wmma::__float_to_tf32(r_fragment.x[e]);
      }
    }
  }
};

}  // namespace tessera::cuda
