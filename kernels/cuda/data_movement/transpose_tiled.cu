// SPDX-License-Identifier: Apache-2.0
// transpose_tiled: matrix transposes by tiles of 16 KiB in padded shared memory, read and written
// in vectors of 16 bytes. Elements of one and two bytes lie in shared memory as words of 4 or 2
// rows, so that a vector of dst is four words whatever the size of its elements.
//
//   operands  any dtype; permutations that come down to (batch, rows, columns) -> (batch, columns,
//             rows)
//   alignment that of the element; 16 bytes and rows and columns that are whole vectors for the
//             vectors, otherwise element by element; narrow matrices: transpose_narrow.cu
//   deterministic
#include <algorithm>
#include <type_traits>

#include "kernels/cuda/data_movement/batched_transpose.h"
#include "kernels/cuda/data_movement/transpose_tile.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/vector.cuh"

namespace tessera::cuda {
namespace {

// For elements of T.
template <typename T>
struct Config {
  using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static constexpr int kThreads = 256;
  static constexpr int kVector = kVectorElements<T>;
  static constexpr int kPack = sizeof(Word) / sizeof(T);  // rows in a word
  static constexpr int kColumns = sizeof(T) == 1 ? 128 : 64;
  static constexpr int kRows = (16 << 10) / static_cast<int>(sizeof(T)) / kColumns;
  static constexpr int kWordRows = kRows / kPack;
  // A column of words is read with a stride of one row: an odd pitch spreads it over the banks.
  static constexpr int kPitch = kColumns + 1;
  static constexpr int kWords = kVector / kPack;  // of a vector of dst
  // A thread reads kPack vectors below each other, kReads times.
  static constexpr int kReads = kWordRows * (kColumns / kVector) / kThreads;
  static constexpr int kWrites = kColumns * (kRows / kVector) / kThreads;
  static_assert(kReads * kThreads * kVector == kWordRows * kColumns, "the reads cover the tile");
  static_assert(kWrites * kThreads * kVector == kColumns * kRows, "the writes cover the tile");
};

// Requires: rows and columns are multiples of kVector.
template <typename T>
__global__ __launch_bounds__(Config<T>::kThreads) void transpose_vectors_kernel(const T* src,
                                                                                T* dst,
                                                                                int64_t rows,
                                                                                int64_t columns) {
  using C = Config<T>;
  using Word = typename C::Word;
  __shared__ Word s_tile[C::kWordRows][C::kPitch];  // (rows / kPack, columns)
  const TilePlace place = tile_place(rows, columns, C::kRows, C::kColumns);

  Vector<T, C::kVector> r_vector[C::kReads][C::kPack];
#pragma unroll
  for (int i = 0; i < C::kReads; ++i) {
    constexpr int kPerRow = C::kColumns / C::kVector;
    const int task = threadIdx.x + i * C::kThreads;
    const int64_t row = place.row0 + task / kPerRow * C::kPack;
    const int64_t column = place.column0 + task % kPerRow * C::kVector;
    // Rows are multiples of kVector, hence of kPack: all of a word exist or none.
    if (row >= rows || column >= columns) continue;
#pragma unroll
    for (int p = 0; p < C::kPack; ++p) {
      r_vector[i][p] = load_vector<C::kVector>(src + place.matrix + (row + p) * columns + column);
    }
  }
#pragma unroll
  for (int i = 0; i < C::kReads; ++i) {
    constexpr int kPerRow = C::kColumns / C::kVector;
    const int task = threadIdx.x + i * C::kThreads;
#pragma unroll
    for (int j = 0; j < C::kVector; ++j) {
      Word word = 0;
#pragma unroll
      for (int p = 0; p < C::kPack; ++p) {
        word |= static_cast<Word>(r_vector[i][p].element[j]) << (8 * sizeof(T) * p);
      }
      s_tile[task / kPerRow][task % kPerRow * C::kVector + j] = word;
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < C::kWrites; ++i) {
    constexpr int kPerColumn = C::kRows / C::kVector;
    const int task = threadIdx.x + i * C::kThreads;
    const int64_t row = place.row0 + task % kPerColumn * C::kVector;
    const int64_t column = place.column0 + task / kPerColumn;
    if (row >= rows || column >= columns) continue;
    Vector<Word, C::kWords> words;
#pragma unroll
    for (int j = 0; j < C::kWords; ++j) {
      words.element[j] = s_tile[task % kPerColumn * C::kWords + j][task / kPerColumn];
    }
    store_vector<C::kWords>(reinterpret_cast<Word*>(dst + place.matrix + column * rows + row),
                            words);
  }
}

constexpr int kTile = 32;
constexpr int kPassRows = 8;

template <typename T>
__global__ __launch_bounds__(kTile* kPassRows) void transpose_elements_kernel(const T* src, T* dst,
                                                                              int64_t rows,
                                                                              int64_t columns) {
  transpose_tile<T, kTile, kPassRows, kTile + 1>(src, dst, rows, columns);
}

template <typename T>
Status launch_tiles(const BatchedTranspose& t, const Operands& operands, Stream& stream) {
  using C = Config<T>;
  const T* src = input<T>(operands, TransposeProblem::kSrc);
  T* dst = output<T>(operands);
  const bool vectors = t.rows % C::kVector == 0 && t.columns % C::kVector == 0 &&
                       are_aligned(kVectorBytes, src, dst);
  if (vectors) {
    return launch(transpose_vectors_kernel<T>,
                  tile_count(t.batch, t.rows, t.columns, C::kRows, C::kColumns), C::kThreads, 0,
                  stream, src, dst, t.rows, t.columns);
  }
  return launch(transpose_elements_kernel<T>, tile_count(t.batch, t.rows, t.columns, kTile, kTile),
                dim3(kTile, kPassRows), 0, stream, src, dst, t.rows, t.columns);
}

Support supports(const TransposeProblem& problem, const DeviceInfo&) {
  return support_batched_transpose(problem);
}

Status launch_transpose_tiled(const TransposeProblem& problem, const Operands& operands,
                              Stream& stream) {
  if (problem.count() == 0) return {};
  return launch_batched_transpose(as_batched_transpose(problem), operands, stream);
}

}  // namespace

Status launch_batched_transpose(const BatchedTranspose& transpose, const Operands& operands,
                                Stream& stream) {
  if (std::min(transpose.rows, transpose.columns) <= kMostNarrow) {
    return launch_narrow_transpose(transpose, operands, stream);
  }
  return dispatch_element_size(
      transpose.dtype, [&]<typename T>() { return launch_tiles<T>(transpose, operands, stream); });
}

const KernelEntry transpose_tiled_entry =
    stateless_kernel_entry<TransposeProblem, supports, launch_transpose_tiled>(
        "transpose_tiled", "matrix transposes by tiles in padded shared memory, in vectors");

}  // namespace tessera::cuda
