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

// The kernels of `family` that `name` stands for, in the backend's order: the one with that name,
// else those whose name begins with it up to an underscore or slash ("onednn" for "onednn_conv") or
// ends with it after a slash ("gemm_naive" for "conv_im2col/gemm_naive"). Any family when `family`
// is empty. Empty when there is none.
std::vector<const KernelEntry*> kernels_named(std::string_view name, const Backend& backend,
                                              std::string_view family = {});

// The kernel that will run the problem: without a `forced_name` the first candidate that supports
// it, otherwise the first that does among those which the name stands for (see kernels_named).
// kUnsupported lists each candidate's reason, or says that the forced kernel does not exist or why
// it refuses; there is no fallback.
Result<const KernelEntry*> select(const Problem& problem, const Backend& backend,
                                  const DeviceInfo& device, std::string_view forced_name = {});

}  // namespace tessera
