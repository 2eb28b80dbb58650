// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/device.h"
#include "core/dtype.h"
#include "core/status.h"
#include "kernels/kernel.h"
#include "kernels/problem/data_movement.h"

namespace tessera::cuda {

// dst[b, column, row] = src[b, row, column] of row-major (batch, rows, columns).
struct BatchedTranspose {
  DType dtype = DType::kF32;
  int64_t batch = 0;
  int64_t rows = 0;
  int64_t columns = 0;
};

// Yes for a permutation that swaps two neighbouring groups of axes (or has nothing to move).
Support support_batched_transpose(const TransposeProblem& problem);

// The permutation as matrix transposes. Requires: support_batched_transpose, count() > 0.
BatchedTranspose as_batched_transpose(const TransposeProblem& problem);

// Input 0 of `operands` is src. Defined in transpose_tiled.cu; also what changes NCHW to NHWC.
Status launch_batched_transpose(const BatchedTranspose& transpose, const Operands& operands,
                                Stream& stream);

// The same for matrices of at most kMostNarrow rows or columns, of which the tiles of
// transpose_tiled would be nearly empty. Defined in transpose_narrow.cu.
constexpr int64_t kMostNarrow = 16;
Status launch_narrow_transpose(const BatchedTranspose& transpose, const Operands& operands,
                               Stream& stream);

}  // namespace tessera::cuda
