// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/kernel.h"

namespace tessera::cuda {

// conv_im2col/gemm_naive, conv_im2col/gemm_coalesced, ...: a row for each kernel of the GEMM family
// in kernels.inc, in that order.
std::vector<const KernelEntry*> conv_im2col_entries();

}  // namespace tessera::cuda
