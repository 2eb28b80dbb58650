// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "core/status.h"
#include "kernels/kernel.h"
#include "kernels/problem/conv.h"

namespace tessera::cuda {

// dst = activation(product + bias + residual) in one pass: what a library has left to do of the
// problem's epilogue. `product` is the convolution in float32, in dst's layout; null when it lies
// in dst, where nothing is done for an empty epilogue. Requires: dst is NCHW or NHWC.
Status launch_conv_epilogue(const ConvProblem& problem, const float* product,
                            const Operands& operands, Stream& stream);

}  // namespace tessera::cuda
