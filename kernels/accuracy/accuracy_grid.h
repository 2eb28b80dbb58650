// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernels/problem/problem.h"

namespace tessera {

// The problems on which kernels are compared with the vendor's: an operation in one precision and
// layout.
struct AccuracyGroup {
  std::string operation;  // "gemm", "conv", "pool max", "pool mean", "softmax", "log-softmax"
  std::string precision;  // "float32", "tf32", "float16", "bfloat16"
  std::string layout;     // "NCHW", "NHWC"; empty where there is only one
  std::vector<Problem> problems;
};

// All groups. Extents of 1, primes, just below and above tile sizes; dilations, strides, groups,
// asymmetric pads; GEMMs large enough for the libraries to take them. Random operands in [-1, 1).
std::vector<AccuracyGroup> accuracy_grid();

// The unit roundoff of a precision: half the distance from 1 to the next number.
double precision_roundoff(const std::string& precision);

// By how much (relative_error.h, max) two correct kernels for a problem of the grid may differ
// because they round at other places: the result once, TF32's operands where only one of the
// kernels rounds them, and a float32 sum of n terms by sqrt(n) roundoffs, since a sum in sequence
// collects n roundings of random sign where one by halves collects log n (Higham and Mary, "A New
// Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019).
double rounding_allowance(const Problem& problem, const std::string& precision);

}  // namespace tessera
