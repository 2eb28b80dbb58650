// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "kernels/kernel.h"
#include "kernels/problem/data_movement.h"

namespace tessera::cuda {

// Between any two layouts, one thread per element of dst, padding channels included.
Status launch_reorder_elements(const ReorderProblem& problem, const Operands& operands,
                               Stream& stream);

}  // namespace tessera::cuda
