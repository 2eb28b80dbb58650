// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/device.h"
#include "kernels/accuracy/relative_error.h"
#include "kernels/backend.h"
#include "kernels/kernel.h"
#include "kernels/select.h"

namespace tessera {

// Whether a kernel is a vendor library's (cuBLAS, cuDNN, oneDNN), the peer of our own.
bool is_library_kernel(std::string_view kernel);

struct KernelError {
  const KernelEntry* entry = nullptr;
  RelativeError error;
};

struct ProblemErrors {
  std::vector<KernelError> measured;
  std::vector<Candidate> refused;
  std::vector<std::string> failures;  // "KERNEL on PROBLEM: what went wrong"
};

// Runs every kernel of `backend` that supports the problem once on the same random operands and
// compares each result with the float64 reference; an error is one of making the operands.
// Requires: a problem of a family with a floating-point result; `device` is one of `backend`'s.
Result<ProblemErrors> measure_errors(const Problem& problem, const Backend& backend,
                                     Device& device);

}  // namespace tessera
