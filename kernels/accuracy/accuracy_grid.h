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

}  // namespace tessera
