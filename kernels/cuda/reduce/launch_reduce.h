// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "kernels/kernel.h"
#include "kernels/problem/reduce.h"

namespace tessera::cuda {

// The launches of the kernels of these names, for other families that come down to a reduction.
// Input 0 of `operands` is src.
Status launch_reduce_block(const ReduceProblem& problem, const Operands& operands, Stream& stream);
// Requires: inner > 1.
Status launch_reduce_columns(const ReduceProblem& problem, const Operands& operands,
                             Stream& stream);
// Requires: inner = 1. For longer rows than this a block per row has more loads on their way.
constexpr int64_t kLongestWarpRow = 8192;
Status launch_reduce_warp(const ReduceProblem& problem, const Operands& operands, Stream& stream);

}  // namespace tessera::cuda
