// SPDX-License-Identifier: Apache-2.0
// transpose_tiled: a transpose that swaps two neighbouring groups of axes, as a batch of matrix
// transposes: 32 x 32 tiles pass through shared memory, so that both the reads and the writes are
// contiguous.
//
//   operands  any dtype; permutations that come down to (batch, rows, columns) -> (batch, columns,
//             rows)
//   alignment that of the element
//   deterministic
#include "core/math.h"
#include "kernels/cuda/data_movement/batched_transpose.h"
#include "kernels/cuda/data_movement/collapse.h"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kTile = 32;
  static constexpr int kRowsPerPass = 8;
  // A column of the tile is read with a stride of one row: an odd pitch spreads it over all banks.
  static constexpr int kPitch = kTile + 1;
  static_assert(kTile == 32, "a warp reads and writes one row of the tile");
  static_assert(kTile % kRowsPerPass == 0, "the passes cover the tile");
};

template <typename T>
__global__ __launch_bounds__(Config::kTile* Config::kRowsPerPass) void transpose_tiled_kernel(
    const T* src, T* dst, int64_t rows, int64_t columns) {
  __shared__ T s_tile[Config::kTile][Config::kPitch];  // (rows, columns)
  const int64_t tiles_c = ceil_div<int64_t>(columns, Config::kTile);
  const int64_t tiles_r = ceil_div<int64_t>(rows, Config::kTile);
  const int64_t column0 = blockIdx.x % tiles_c * Config::kTile;
  const int64_t row0 = blockIdx.x / tiles_c % tiles_r * Config::kTile;
  const int64_t matrix = blockIdx.x / tiles_c / tiles_r * rows * columns;
  const int x = threadIdx.x;

  const int64_t column = column0 + x;
#pragma unroll
  for (int y = threadIdx.y; y < Config::kTile; y += Config::kRowsPerPass) {
    const int64_t row = row0 + y;
    if (row < rows && column < columns) s_tile[y][x] = src[matrix + row * columns + column];
  }
  __syncthreads();
  const int64_t row = row0 + x;
#pragma unroll
  for (int y = threadIdx.y; y < Config::kTile; y += Config::kRowsPerPass) {
    const int64_t dst_row = column0 + y;
    if (row < rows && dst_row < columns) dst[matrix + dst_row * rows + row] = s_tile[x][y];
  }
}

Support supports(const TransposeProblem& problem, const DeviceInfo&) {
  if (problem.count() == 0) return Support::yes();
  const TransposeProblem swap = collapse(problem);
  const bool is_swap = swap.rank == 2 || (swap.rank == 3 && swap.permutation[0] == 0);
  if (is_swap) return Support::yes();
  return Support::no("the permutation is not a swap of two neighbouring groups of axes");
}

Status launch_transpose_tiled(const TransposeProblem& problem, const Operands& operands,
                              Stream& stream) {
  if (problem.count() == 0) return {};
  const TransposeProblem swap = collapse(problem);
  BatchedTranspose transpose;
  transpose.dtype = problem.dtype;
  transpose.batch = swap.rank == 3 ? swap.extent[0] : 1;
  transpose.rows = swap.extent[swap.rank - 2];
  transpose.columns = swap.extent[swap.rank - 1];
  return launch_batched_transpose(transpose, operands, stream);
}

}  // namespace

Status launch_batched_transpose(const BatchedTranspose& transpose, const Operands& operands,
                                Stream& stream) {
  const int64_t tiles = transpose.batch * ceil_div<int64_t>(transpose.rows, Config::kTile) *
                        ceil_div<int64_t>(transpose.columns, Config::kTile);
  return dispatch_element_size(transpose.dtype, [&]<typename T>() {
    return launch(transpose_tiled_kernel<T>, tiles, dim3(Config::kTile, Config::kRowsPerPass), 0,
                  stream, input<T>(operands, TransposeProblem::kSrc), output<T>(operands),
                  transpose.rows, transpose.columns);
  });
}

const KernelEntry transpose_tiled_entry =
    stateless_kernel_entry<TransposeProblem, supports, launch_transpose_tiled>(
        "transpose_tiled", "matrix transposes by tiles in padded shared memory");

}  // namespace tessera::cuda
