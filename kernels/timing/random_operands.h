// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/accuracy/encoding.h"
#include "kernels/problem/problem.h"

namespace tessera {

// Inputs for a problem that no kernel may fail on: floating-point values uniform in [-1, 1) (the
// variances of a batch norm positive), integers of random bits, bools 0 or 1, indices of a gather
// in range. The same for the same seed, on every platform. Operands that are not present are empty.
// Never zeros: kernels can run faster on them, since fewer wires change their state.
std::vector<Bytes> random_operands(const Problem& problem, uint64_t seed);

}  // namespace tessera
