// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "kernels/problem/batch_norm.h"
#include "kernels/problem/conv.h"
#include "kernels/problem/data_movement.h"
#include "kernels/problem/elementwise.h"
#include "kernels/problem/gemm.h"
#include "kernels/problem/image.h"
#include "kernels/problem/pool.h"
#include "kernels/problem/reduce.h"
#include "kernels/problem/softmax.h"

namespace tessera {

// Everything a kernel may be asked to compute. A problem is a plain struct: extents, layouts,
// dtypes, no pointers. Its operands are passed at launch in the order its header gives.
using Problem =
    std::variant<GemmProblem, ConvProblem, PoolProblem, SoftmaxProblem, UnaryProblem, BinaryProblem,
                 CastProblem, BatchNormProblem, TransposeProblem, ConcatProblem, GatherProblem,
                 ReorderProblem, ImageProblem, ReduceProblem>;

// "gemm", "conv", ...: the family of kernels that can compute it, and the column of `infer ops`.
std::string_view problem_family(const Problem& problem);

// The whole problem in one line, for logs, plans and test failures.
std::string to_string(const Problem& problem);

// Arithmetic of the problem: a multiply-add counts 2, every other operation on an element 1.
// A double, since extents that fit 64 bits one by one need not do so multiplied.
double problem_flops(const Problem& problem);

}  // namespace tessera
