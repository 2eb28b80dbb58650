// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"
#include "kernels/problem/problem.h"

namespace tessera {

// One operand of a problem as a test has to provide it.
struct OperandSpec {
  DType dtype = DType::kF32;
  int64_t elements = 0;       // of memory: gaps between rows and channel padding included
  bool present = true;        // false: null at launch
  bool is_parameter = false;  // weights, bias, ...: constants in most models

  [[nodiscard]] size_t size_bytes() const {
    return static_cast<size_t>(elements) * dtype_size_bytes(dtype);
  }
};

struct ProblemOperands {
  std::vector<OperandSpec> inputs;
  OperandSpec output;
  Shape output_shape;  // for coordinates in messages; its last extent may be a row stride
};

ProblemOperands describe_operands(const Problem& problem);

// True for an output element that lies between two rows and is nobody's to write.
bool is_gap(const Problem& problem, int64_t output_index);

// The same problem with dtype float64. Requires: a family with one floating-point dtype.
Problem as_float64(const Problem& problem);

// The dtype that a family computes in and that as_float64 replaces; kBool for families that only
// move or convert elements.
DType compute_dtype(const Problem& problem);

}  // namespace tessera
