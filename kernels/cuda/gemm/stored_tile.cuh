// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/cuda/ptx/cp_async.cuh"
#include "kernels/cuda/vector.cuh"

// Tiles for tensor cores, in shared memory as the operand is stored in global memory: the
// instructions that read them take either order, so that nothing has to be transposed.

namespace tessera::cuda {

// The k-tile (BlockX, BlockK) of an operand where k is fastest in memory, otherwise
// (BlockK, BlockX). Rows are padded so that the 8 rows that one instruction reads begin in
// different banks.
template <typename T, int BlockX, int BlockK, bool KFastest>
struct StoredTile {
  static constexpr bool kKFastest = KFastest;
  static constexpr int kVector = 16 / static_cast<int>(sizeof(T));
  static constexpr int kRows = kKFastest ? BlockX : BlockK;
  static constexpr int kColumns = kKFastest ? BlockK : BlockX;
  // 16-bit elements are read 16 bytes of a row at a time. TF32 is read element by element, lane
  // 4g + t from row g and column t, or from row t and column g.
  static constexpr int kPad = sizeof(T) == 4 && !kKFastest ? 2 * kVector : kVector;
  static constexpr int kPitch = kColumns + kPad;

  T element[kRows][kPitch];

  // From element (0, 0) to element (x, k).
  __device__ __forceinline__ static constexpr int offset(int x, int k) {
    return kKFastest ? x * kPitch + k : k * kPitch + x;
  }
  __device__ __forceinline__ const T* at(int x, int k) const {
    return &element[0][0] + offset(x, k);
  }

  static_assert(kColumns % kVector == 0 && kPitch % kVector == 0, "rows of 16-byte vectors");
};

// A thread's share of the copies of an operand's k-tiles from global to shared memory. Rows of the
// tiles are `pitch` elements apart in global memory; what lies at or beyond x_left is never read
// and becomes zero. Vectors of 16 bytes are copied asynchronously where all of them are aligned;
// otherwise the thread copies element by element, at once. A copy can be made in kParts parts, so
// that the instructions which begin it do not hold up all others.
template <typename Tile, int kThreads, int kParts = 1>
class StoredTileCopier;

template <typename T, int kBlockX, int kBlockK, bool kKFastest, int kThreads, int kParts>
class StoredTileCopier<StoredTile<T, kBlockX, kBlockK, kKFastest>, kThreads, kParts> {
  using Tile = StoredTile<T, kBlockX, kBlockK, kKFastest>;

 public:
  __device__ __forceinline__ StoredTileCopier(const T* __restrict__ g_tile, int64_t pitch,
                                              int64_t x_left, Tile& s_tile)
      : g_vector_(g_tile + row0() * pitch + column0()),
        s_vector_(&s_tile.element[row0()][column0()]),
        x_left_(x_left < kBlockX ? static_cast<int>(x_left) : kBlockX),
        aligned_(pitch % Tile::kVector == 0 && reinterpret_cast<uintptr_t>(g_tile) % 16 == 0) {}

  // Whether every k-tile of kBlockK elements along k is inside and can be copied in vectors; the
  // same for all threads of a block.
  [[nodiscard]] __device__ __forceinline__ bool whole() const {
    return aligned_ && x_left_ == kBlockX;
  }

  // Begins to copy a part of the next k-tile. Parts are copied in order, each once. Requires for
  // kWhole: whole().
  template <bool kWhole>
  __device__ __forceinline__ void copy(int64_t pitch, int part = 0) {
    if constexpr (kWhole) {
      copy_whole(kRowStep * pitch, part);
    } else {
      copy_edge(kRowStep * pitch, kBlockK, part * kPassesPerPart,
                min((part + 1) * kPassesPerPart, kPasses));
    }
    if (part == kParts - 1) g_vector_ += kKFastest ? kBlockK : kBlockK * pitch;
  }

  // Begins to copy all of a last k-tile of which only k_inside elements along k exist.
  __device__ __forceinline__ void copy_rest(int64_t pitch, int k_inside) const {
    copy_edge(kRowStep * pitch, k_inside, 0, kPasses);
  }

  // Makes the next copy go to a tile that begins this many elements further.
  __device__ __forceinline__ void move_target(int elements) { s_vector_ += elements; }

 private:
  static constexpr int kVectorsPerRow = Tile::kColumns / Tile::kVector;
  static constexpr int kRowStep = kThreads / kVectorsPerRow;
  static constexpr int kPasses = Tile::kRows / kRowStep;
  static constexpr int kPassesPerPart = (kPasses + kParts - 1) / kParts;
  static_assert(kThreads % kVectorsPerRow == 0 && Tile::kRows % kRowStep == 0,
                "every thread copies equally many vectors");

  __device__ __forceinline__ static int row0() { return threadIdx.x / kVectorsPerRow; }
  __device__ __forceinline__ static int column0() {
    return threadIdx.x % kVectorsPerRow * Tile::kVector;
  }

  __device__ __forceinline__ void copy_whole(int64_t g_step, int part) const {
    const T* g_src = g_vector_ + part * kPassesPerPart * g_step;
#pragma unroll
    for (int i = 0; i < kPassesPerPart; ++i) {
      const int pass = part * kPassesPerPart + i;
      if (pass >= kPasses) break;
      cp_async<16>(s_vector_ + pass * kRowStep * Tile::kPitch, g_src);
      g_src += g_step;
    }
  }

  // What lies outside becomes zero. Not unrolled: the code of the whole tiles stays together.
  __device__ __forceinline__ void copy_edge(int64_t g_step, int k_inside, int begin,
                                            int end) const {
    const int rows = kKFastest ? x_left_ : k_inside;
    const int columns = kKFastest ? k_inside : x_left_;
#pragma unroll 1
    for (int pass = begin; pass < end; ++pass) {
      const int row = row0() + pass * kRowStep;
      const int inside = row < rows ? min(max(columns - column0(), 0), Tile::kVector) : 0;
      const T* g_src = g_vector_ + pass * g_step;
      T* s_dst = s_vector_ + pass * kRowStep * Tile::kPitch;
      if (aligned_) {
        cp_async<16>(s_dst, g_src, inside * static_cast<int>(sizeof(T)));
        continue;
      }
#pragma unroll 1
      for (int j = 0; j < Tile::kVector; ++j) {
        s_dst[j] = j < inside ? g_src[j] : from_float<T>(0.0f);
      }
    }
  }

  const T* g_vector_;
  T* s_vector_;
  int x_left_;
  bool aligned_;
};

// The operands' tiles of one stage of a pipeline over k. Config has kBlockM, kBlockN and kBlockK.
template <typename T, typename Config, bool kTransposeA, bool kTransposeB>
struct StoredStage {
  StoredTile<T, Config::kBlockM, Config::kBlockK, !kTransposeA> a;
  StoredTile<T, Config::kBlockN, Config::kBlockK, kTransposeB> b;

  static constexpr int kElements =
      static_cast<int>((sizeof(decltype(a)) + sizeof(decltype(b))) / sizeof(T));
};

}  // namespace tessera::cuda
