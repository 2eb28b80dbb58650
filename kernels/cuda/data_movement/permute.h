// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "kernels/kernel.h"
#include "kernels/problem/data_movement.h"

namespace tessera::cuda {

// Any transpose, one thread per unit of dst: writes are contiguous, reads wherever they fall. Where
// the innermost axis stays, a unit is up to 16 bytes of it. Input 0 of `operands` is src. Defined
// in transpose_naive.cu.
Status launch_permute(const TransposeProblem& problem, const Operands& operands, Stream& stream);

}  // namespace tessera::cuda
