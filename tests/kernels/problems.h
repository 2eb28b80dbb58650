// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/problem/problem.h"

namespace tessera::testing {

// The problems on which every kernel of a family is tested: extents of 0, 1, primes, and just
// below, at and above tile sizes; gaps between rows; every flag that a problem has.
std::vector<Problem> gemm_problems();
std::vector<Problem> conv_problems();
std::vector<Problem> pool_problems();
std::vector<Problem> softmax_problems();
std::vector<Problem> reduce_problems();
std::vector<Problem> elementwise_problems();    // unary, binary, cast, batch_norm
std::vector<Problem> data_movement_problems();  // transpose, concat, gather, reorder, image

// All of them, or every N-th where the environment variable TESSERA_PROBLEM_STRIDE=N asks for
// fewer: under a tool that slows kernels down a hundred times the whole list takes hours.
const std::vector<Problem>& all_problems();
bool is_excerpt();

// Adds to a list of float32 problems of one family copies of them in the other
// precisions: of two neighbours one in float16 and one in bfloat16, and where the family has it, of
// every third one that allows TF32. A tolerance follows from dtype and shape, so that the shapes
// need not be repeated in full.
void append_precisions(std::vector<Problem>& list);

// Every activation, with parameters that show when alpha and beta are confused.
std::vector<Activation> all_activations();

constexpr Layout kAllLayouts[] = {Layout::kRowMajor, Layout::kNHWC, Layout::kNChw8c,
                                  Layout::kNChw16c};

}  // namespace tessera::testing
