// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/tensor.h"
#include "kernels/problem/problem.h"

namespace tessera {

// Computes a problem on the reference backend from host tensors, in the problem's operand order;
// null for an absent operand. `output` describes the result.
Result<Tensor> run_on_reference(const Problem& problem, std::span<const Tensor* const> operands,
                                const TensorDesc& output);

}  // namespace tessera
