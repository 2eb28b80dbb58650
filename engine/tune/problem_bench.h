// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "engine/plan/timing_cache.h"
#include "kernels/accuracy/truth.h"
#include "kernels/timing/kernel_timing.h"

namespace tessera {

// A problem with random operands on a device, on which one kernel after the other is timed and
// compared with the float64 reference.
class ProblemBench {
 public:
  // kOutOfMemory when the operands do not fit.
  static Result<std::unique_ptr<ProblemBench>> create(const Problem& problem, Device& device);

  // Requires: `entry` supports the problem. Fails with the kernel's own error.
  Result<KernelMeasurement> measure(const KernelEntry& entry, const TimingOptions& options);

 private:
  explicit ProblemBench(std::shared_ptr<OperandCopies> copies) : copies_(std::move(copies)) {}
  Result<double> largest_error(KernelTimer& timer);

  std::shared_ptr<OperandCopies> copies_;
  std::optional<Truth> truth_;  // computed for the first kernel, and only then: it can take long
};

}  // namespace tessera
