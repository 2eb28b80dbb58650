// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "core/status.h"
#include "kernels/kernel.h"
#include "kernels/problem/gemm.h"

namespace tessera::cuda {

// D = activation(product + beta * bias + residual) in one pass: what a library has left to do of
// the problem's epilogue. `product` is (batch, M, N), dense, in float32; null when the product lies
// in D, where nothing is done for an empty epilogue.
Status launch_gemm_epilogue(const GemmProblem& problem, const float* product,
                            const Operands& operands, Stream& stream);

}  // namespace tessera::cuda
