// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/device.h"
#include "kernels/kernel.h"

namespace tessera::testing {

// Runs `kernel` on one problem with every data set, with its parameters packed and not, and checks
// everything that the contract of kernels/kernel.h promises: the result against float64, guards
// around every buffer (workspace included), inputs and gaps untouched, the same bits in a second
// launch, which on a device with graphs is a captured one. The message of an error says which
// kernel, problem, data set and element. Requires: the kernel supports the problem.
Status check_kernel(const KernelEntry& entry, const Problem& problem, Device& device,
                    Stream& stream);

// What running a kernel over a list of problems gave.
struct EntryReport {
  int ran = 0;
  std::map<std::string, int> refusals;  // reason -> how many problems
  std::vector<std::string> failures;
};

// Checks a kernel on all problems of its family; where it has preferred layouts, in those too.
// Stops after a few failures.
EntryReport run_entry(const KernelEntry& entry, std::span<const Problem> problems, Device& device);

}  // namespace tessera::testing
