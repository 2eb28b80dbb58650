// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/device.h"
#include "kernels/accuracy/encoding.h"
#include "kernels/kernel.h"

namespace tessera {

// The result of one launch of a kernel, with its parameters packed as a model packs them. `inputs`
// has one entry per operand, empty where it is not present; elements of the output that the kernel
// does not write are NaN. Requires: the kernel supports the problem.
Result<Bytes> run_kernel(const KernelEntry& entry, const Problem& problem,
                         const std::vector<Bytes>& inputs, Device& device);

}  // namespace tessera
