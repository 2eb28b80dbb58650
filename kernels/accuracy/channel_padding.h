// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accuracy/encoding.h"
#include "kernels/problem/problem.h"

namespace tessera {

// Sets to zero what the contract of a blocked layout wants to be zero: the padding channels of an
// input operand. Nothing for other operands and layouts.
void clear_channel_padding(const Problem& problem, int operand, DType dtype, Bytes& bytes);

}  // namespace tessera
