// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "core/status.h"

namespace tessera::cuda {

// Calls function.operator()<T>() with the unsigned integer type as wide as an element of `dtype`:
// kernels that only move data need four instantiations, not one per dtype.
template <typename Function>
Status dispatch_element_size(DType dtype, Function&& function) {
  switch (dtype_size_bytes(dtype)) {
    case 1:
      return function.template operator()<uint8_t>();
    case 2:
      return function.template operator()<uint16_t>();
    case 4:
      return function.template operator()<uint32_t>();
    case 8:
      return function.template operator()<uint64_t>();
    default:
      return internal_error("no element type of this size");
  }
}

}  // namespace tessera::cuda
