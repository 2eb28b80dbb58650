// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernels/kernel.h"

namespace tessera::cuda {

// Operand `index` of a launch, or null when it is absent.
template <typename T>
const T* input(const Operands& operands, int index) {
  const auto position = static_cast<size_t>(index);
  if (position >= operands.inputs.size()) return nullptr;
  return static_cast<const T*>(operands.inputs[position]);
}

template <typename T>
T* output(const Operands& operands) {
  return static_cast<T*>(operands.output);
}

}  // namespace tessera::cuda
