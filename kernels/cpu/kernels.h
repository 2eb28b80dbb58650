// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/backend.h"
#include "kernels/kernel.h"

// Kernels for x86 and ARM processors: oneDNN where it does exactly what the problem says, own loops
// where it does not. float32; deterministic for a fixed number of threads.
namespace tessera::cpu {

#define TESSERA_KERNEL(entry) extern const KernelEntry entry;
#define TESSERA_REFERENCE_KERNEL(entry)
#include "kernels/cpu/kernels.inc"
#undef TESSERA_REFERENCE_KERNEL
#undef TESSERA_KERNEL

// The backend "cpu": one device, the host, with as many threads as OpenMP gives (OMP_NUM_THREADS).
const Backend& backend();

}  // namespace tessera::cpu
