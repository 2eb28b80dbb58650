// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "core/dtype.h"
#include "core/status.h"

namespace tessera::cuda {

// Kernels that only move data see elements as units of 1, 2, 4, 8 or 16 bytes: five instantiations,
// not one per dtype, and several elements at once where they stay together.

// The widest unit that all the sizes and addresses are multiples of.
template <typename... Numbers>
int64_t common_unit_bytes(Numbers... sizes) {
  uint64_t bits = 16;
  ((bits |= static_cast<uint64_t>(sizes)), ...);
  return static_cast<int64_t>(bits & (~bits + 1));  // the lowest bit that is set in any of them
}

inline int64_t address_of(const void* pointer) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer));
}

// Calls function.operator()<T>() with the unsigned integer type as wide as an element of `dtype`.
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

// The same for a unit of `bytes` bytes, uint4 for 16.
template <typename Function>
Status dispatch_unit(int64_t bytes, Function&& function) {
  switch (bytes) {
    case 1:
      return function.template operator()<uint8_t>();
    case 2:
      return function.template operator()<uint16_t>();
    case 4:
      return function.template operator()<uint32_t>();
    case 8:
      return function.template operator()<uint64_t>();
    default:
      return function.template operator()<uint4>();
  }
}

}  // namespace tessera::cuda
