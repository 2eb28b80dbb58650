// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
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
  // Elements of which the kernel's algorithm promises nothing: Winograd's, next to an infinity or
  // NaN.
  std::vector<size_t> unspecified;

  // `value` with what `result` has at the unspecified elements, so that they agree.
  [[nodiscard]] std::vector<double> value_for(std::span<const std::byte> result, DType dtype) const;
};

// winograd_outputs is that of the kernel (KernelEntry); 0 for one that adds the products
// themselves.
Result<Truth> compute_truth(const Problem& problem, const std::vector<Bytes>& inputs,
                            int winograd_outputs = 0);

// The result of the reference backend; elements that it does not write are zero.
Result<Bytes> run_reference(const Problem& problem, const std::vector<Bytes>& inputs);

}  // namespace tessera
