// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/device.h"
#include "core/dtype.h"
#include "core/status.h"
#include "kernels/kernel.h"

namespace tessera::cuda {

// dst[b, column, row] = src[b, row, column] of row-major (batch, rows, columns).
struct BatchedTranspose {
  DType dtype = DType::kF32;
  int64_t batch = 0;
  int64_t rows = 0;
  int64_t columns = 0;
};

// Input 0 of `operands` is src. Defined in transpose_tiled.cu; also what changes NCHW to NHWC.
Status launch_batched_transpose(const BatchedTranspose& transpose, const Operands& operands,
                                Stream& stream);

}  // namespace tessera::cuda
