// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "core/status.h"
#include "kernels/kernel.h"
#include "kernels/problem/gemm.h"

namespace tessera::cuda {

// D = activation(D + beta * bias + residual) in one pass over D: the epilogue of a product that a
// library has left in operands.output. Nothing to do when the problem's epilogue is empty.
Status launch_gemm_epilogue(const GemmProblem& problem, const Operands& operands, Stream& stream);

}  // namespace tessera::cuda
