// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/status.h"
#include "kernels/kernel.h"
#include "kernels/problem/conv.h"

namespace tessera::cuda {

// The second pass of a convolution whose sums were split among blocks: dst = activation(partial[0]
// + partial[1] + ... + bias + residual). Each partial lies as dst does, one behind the other. The
// order is fixed, hence the result too.
Status launch_conv_split_sum(const ConvProblem& problem, const float* partials, int splits,
                             const Operands& operands, Stream& stream);

}  // namespace tessera::cuda
