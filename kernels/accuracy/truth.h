// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/status.h"
#include "kernels/accuracy/encoding.h"
#include "kernels/problem/problem.h"

namespace tessera {

// What a kernel must compute from given inputs, with how far it may be off.
struct Truth {
  // Families that only move or convert elements, or whose formula fixes every bit: the result.
  // Empty otherwise.
  Bytes exact;
  // The other families: the float64 result of the reference on the same inputs, and the largest
  // difference that float32 arithmetic (float64 for a float64 problem) explains.
  std::vector<double> value;
  std::vector<double> tolerance;
};

Result<Truth> compute_truth(const Problem& problem, const std::vector<Bytes>& inputs);

// The result of the reference backend; elements that it does not write are zero.
Result<Bytes> run_reference(const Problem& problem, const std::vector<Bytes>& inputs);

}  // namespace tessera
