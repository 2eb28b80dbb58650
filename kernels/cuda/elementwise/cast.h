// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "kernels/kernel.h"
#include "kernels/problem/elementwise.h"

namespace tessera::cuda {

// The casts from one group of types to every type, each in a file of its own: together they are 169
// kernels, which one compiler would work on for long. Requires: problem.from is in the group.
Status launch_cast_from_float(const CastProblem& problem, const Operands& operands, Stream& stream);
// int8 to int64.
Status launch_cast_from_signed(const CastProblem& problem, const Operands& operands,
                               Stream& stream);
// uint8 to uint64, bool.
Status launch_cast_from_unsigned(const CastProblem& problem, const Operands& operands,
                                 Stream& stream);

}  // namespace tessera::cuda
