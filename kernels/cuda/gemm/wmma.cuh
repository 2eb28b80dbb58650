// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <mma.h>

#include "kernels/cuda/gemm/gemm_operands.cuh"

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

  // Stores them with the epilogue, the first at row m and column n of D[batch]; those outside D are
  // left out. Which lane holds which element is not specified, so that each fragment goes through
  // s_scratch, 32-byte aligned memory of the warp for one of them.
  __device__ __forceinline__ void store(const GemmProblem& p, const GemmOperands<T>& g,
                                        int64_t batch, int64_t m, int64_t n,
                                        float* s_scratch) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < Tile::kFragmentsM; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kFragmentsN; ++j) {
        nvcuda::wmma::store_matrix_sync(s_scratch, c[i][j], kWmmaN, nvcuda::wmma::mem_row_major);
        __syncwarp();
        const int64_t column = n + j * kWmmaN + lane % kWmmaN;
        for (int row = lane / kWmmaN; row < kWmmaM; row += 32 / kWmmaN) {
          const int64_t d_row = m + i * kWmmaM + row;
          if (d_row < p.M && column < p.N) {
            store_gemm_output<kActivationAtRunTime>(
                p, g, batch, d_row, column, p.alpha * s_scratch[row * kWmmaN + lane % kWmmaN]);
          }
        }
        __syncwarp();
      }
    }
  }
};

// The fragments of a warp's tile for kWmmaK of k. An operand stored transposed is column-major.
template <typename T, typename Tile, bool kTransposeA, bool kTransposeB>
struct WmmaFragments {
  static constexpr bool kTf32 = sizeof(T) == 4;
  using Element = std::conditional_t<kTf32, nvcuda::wmma::precision::tf32, T>;
  template <bool kTranspose>
  using Major = std::conditional_t<kTranspose, nvcuda::wmma::col_major, nvcuda::wmma::row_major>;

  nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, kWmmaM, kWmmaN, kWmmaK<T>, Element,
                         Major<kTransposeA>>
      a[Tile::kFragmentsM];
  nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, kWmmaM, kWmmaN, kWmmaK<T>, Element,
                         Major<kTransposeB>>
      b[Tile::kFragmentsN];

  // From the first elements of the warp's rows of A and columns of B, with the distance between
  // their stored rows. Both pointers 32-byte aligned, the distances multiples of 16 bytes.
  __device__ __forceinline__ void load(const T* first_a, unsigned pitch_a, const T* first_b,
                                       unsigned pitch_b) {
#pragma unroll
    for (int i = 0; i < Tile::kFragmentsM; ++i) {
      const int64_t row = i * kWmmaM;
      nvcuda::wmma::load_matrix_sync(a[i], first_a + (kTransposeA ? row : row * pitch_a), pitch_a);
      round(a[i]);
    }
#pragma unroll
    for (int j = 0; j < Tile::kFragmentsN; ++j) {
      const int64_t column = j * kWmmaN;
      nvcuda::wmma::load_matrix_sync(b[j], first_b + (kTransposeB ? column * pitch_b : column),
                                     pitch_b);
      round(b[j]);
    }
  }

  // r_acc += A * B.
  __device__ __forceinline__ void multiply(WmmaAccumulators<T, Tile>& r_acc) const {
#pragma unroll
    for (int i = 0; i < Tile::kFragmentsM; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kFragmentsN; ++j) {
        nvcuda::wmma::mma_sync(r_acc.c[i][j], a[i], b[j], r_acc.c[i][j]);
      }
    }
  }

 private:
  template <typename Fragment>
  __device__ __forceinline__ static void round(Fragment& fragment) {
    if constexpr (kTf32) {
#pragma unroll
      for (int e = 0; e < fragment.num_elements; ++e) {
        fragment.x[e] = nvcuda::wmma::__float_to_tf32(fragment.x[e]);
      }
    }
  }
};

}  // namespace tessera::cuda
