// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel.h"

namespace tessera::cuda {

// Declares the entry of every row of kernels.inc; each is defined in the kernel's own file.
#define TESSERA_KERNEL(name) extern const KernelEntry name##_entry;
#include "kernels/cuda/kernels.inc"
#undef TESSERA_KERNEL

}  // namespace tessera::cuda
