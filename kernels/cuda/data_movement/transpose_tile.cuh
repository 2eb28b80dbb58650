// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "core/math.h"

namespace tessera::cuda {

// The matrices of a batched transpose are cut into tiles, one for each block of the grid.
struct TilePlace {
  int64_t matrix;  // offset of the matrix in src and dst
  int64_t row0, column0;
};

__host__ __device__ inline int64_t tile_count(int64_t batch, int64_t rows, int64_t columns,
                                              int tile_rows, int tile_columns) {
  return batch * ceil_div<int64_t>(rows, tile_rows) * ceil_div<int64_t>(columns, tile_columns);
}

__device__ __forceinline__ TilePlace tile_place(int64_t rows, int64_t columns, int tile_rows,
                                                int tile_columns) {
  // In 32 bits, where divisions are short: the grid has fewer than 2^31 tiles.
  const auto tiles_c = static_cast<uint32_t>(ceil_div<int64_t>(columns, tile_columns));
  const auto tiles_r = static_cast<uint32_t>(ceil_div<int64_t>(rows, tile_rows));
  const uint32_t tile_row = blockIdx.x / tiles_c;
  const uint32_t matrix = tile_row / tiles_r;
  return {matrix * (rows * columns), static_cast<int64_t>(tile_row - matrix * tiles_r) * tile_rows,
          static_cast<int64_t>(blockIdx.x - tile_row * tiles_c) * tile_columns};
}

// One element after the other through a tile of kTile x kTile in shared memory with rows of kPitch
// elements: a warp reads a row of the tile and writes a column. Launched with (kTile, kPassRows)
// threads.
template <typename T, int kTile, int kPassRows, int kPitch>
__device__ __forceinline__ void transpose_tile(const T* src, T* dst, int64_t rows,
                                               int64_t columns) {
  static_assert(kTile == 32, "a warp reads and writes one row of the tile");
  static_assert(kTile % kPassRows == 0, "the passes cover the tile");
  __shared__ T s_tile[kTile][kPitch];  // (rows, columns)
  const TilePlace place = tile_place(rows, columns, kTile, kTile);
  const int x = threadIdx.x;

  const int64_t column = place.column0 + x;
#pragma unroll
  for (int y = threadIdx.y; y < kTile; y += kPassRows) {
    const int64_t row = place.row0 + y;
    if (row < rows && column < columns) {
      s_tile[y][x] = src[place.matrix + row * columns + column];
    }
  }
  __syncthreads();
  const int64_t row = place.row0 + x;
#pragma unroll
  for (int y = threadIdx.y; y < kTile; y += kPassRows) {
    const int64_t dst_row = place.column0 + y;
    if (row < rows && dst_row < columns) {
      dst[place.matrix + dst_row * rows + row] = s_tile[x][y];
    }
  }
}

}  // namespace tessera::cuda
