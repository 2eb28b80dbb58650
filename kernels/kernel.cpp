// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel.h"

namespace tessera {

Result<std::vector<int>> Kernel::pack_constants(std::span<const Tensor* const>) {
  return std::vector<int>();
}

}  // namespace tessera
