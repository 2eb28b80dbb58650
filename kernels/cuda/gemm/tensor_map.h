// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>

#include "core/dtype.h"
#include "core/status.h"

namespace tessera::cuda {

// A row-major matrix of 16-bit elements in device memory, and the boxes in which the copy engine
// reads it: rows of 64 elements, which it swizzles over 128 bytes of shared memory.
struct BoxedMatrix {
  DType dtype = DType::kF16;  // or bfloat16
  const void* data = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t pitch = 0;  // elements between rows
  int box_rows = 0;   // at most 256
};

// What the copy engine must know of a matrix (CUDA Driver API, cuTensorMapEncodeTiled). Fails where
// data is no multiple of 16 bytes, or the driver is older than the engine's interface.
Result<CUtensorMap> make_tensor_map(const BoxedMatrix& matrix);

}  // namespace tessera::cuda
