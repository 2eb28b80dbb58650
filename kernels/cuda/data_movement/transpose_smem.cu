// SPDX-License-Identifier: Apache-2.0
// transpose_smem: matrix transposes by tiles of 32 x 32 elements in shared memory, so that both the
// reads and the writes are contiguous. The rows of the tile are not padded: a warp reads a column
// of it from a single bank, one lane after the other (transpose_tiled does better).
//
//   operands  any dtype; permutations that come down to (batch, rows, columns) -> (batch, columns,
//             rows)
//   alignment that of the element
//   deterministic
#include "kernels/cuda/data_movement/batched_transpose.h"
#include "kernels/cuda/data_movement/transpose_tile.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kTile = 32;
  static constexpr int kPassRows = 8;
};

template <typename T>
__global__ __launch_bounds__(Config::kTile* Config::kPassRows) void transpose_smem_kernel(
    const T* src, T* dst, int64_t rows, int64_t columns) {
  transpose_tile<T, Config::kTile, Config::kPassRows, Config::kTile>(src, dst, rows, columns);
}

Support supports(const TransposeProblem& problem, const DeviceInfo&) {
  return support_batched_transpose(problem);
}

Status launch_transpose_smem(const TransposeProblem& problem, const Operands& operands,
                             Stream& stream) {
  if (problem.count() == 0) return {};
  const BatchedTranspose t = as_batched_transpose(problem);
  return dispatch_element_size(t.dtype, [&]<typename T>() {
    return launch(transpose_smem_kernel<T>,
                  tile_count(t.batch, t.rows, t.columns, Config::kTile, Config::kTile),
                  dim3(Config::kTile, Config::kPassRows), 0, stream,
                  input<T>(operands, TransposeProblem::kSrc), output<T>(operands), t.rows,
                  t.columns);
  });
}

}  // namespace

const KernelEntry transpose_smem_entry =
    stateless_kernel_entry<TransposeProblem, supports, launch_transpose_smem>(
        "transpose_smem", "matrix transposes by tiles in shared memory");

}  // namespace tessera::cuda
