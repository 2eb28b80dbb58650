// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/problem/data_movement.h"

namespace tessera::cuda {

// The same transpose with as few axes as possible: axes of extent 1 are dropped and axes that stay
// neighbours in the same order become one. An identity comes down to rank 1, a matrix transpose to
// rank 2. Requires: no extent is 0.
TransposeProblem collapse(const TransposeProblem& problem);

}  // namespace tessera::cuda
