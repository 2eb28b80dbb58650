// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend.h"
#include "kernels/kernel.h"

namespace tessera {

// A kernel of the problem's family and whether it can compute it.
struct Candidate {
  const KernelEntry* entry = nullptr;
  Support support = Support::yes();
};

// All kernels of `backend` that compute this kind of problem, in the backend's order, those that
// refuse included with their reasons. Kernels of other kinds of problem are left out.
std::vector<Candidate> candidates(const Problem& problem, const Backend& backend,
                                  const DeviceInfo& device);

// The kernel that will run the problem: `forced_name` if it is not empty, otherwise the first
// candidate that supports it. kUnsupported lists each candidate's reason, or says that the forced
// kernel does not exist or why it refuses; there is no fallback.
Result<const KernelEntry*> select(const Problem& problem, const Backend& backend,
                                  const DeviceInfo& device, std::string_view forced_name = {});

}  // namespace tessera
