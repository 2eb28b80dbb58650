// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/backend.h"
#include "kernels/kernel.h"

// Scalar kernels that accumulate in double and are written to be read: what every other kernel is
// compared with. They store float32 or float64 (those that only move data: anything), are
// deterministic and need no workspace. They read and write host memory, so other backends whose
// device shares host memory may list them too.
namespace tessera::reference {

#define TESSERA_KERNEL(entry) extern const KernelEntry entry;
#include "kernels/reference/kernels.inc"
#undef TESSERA_KERNEL

// The backend "reference": one device, the host, one thread.
const Backend& backend();

}  // namespace tessera::reference
