// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/status.h"
#include "engine/executor/compiled_model.h"
#include "kernels/launch_resources.h"
#include "kernels/problem/problem.h"
#include "kernels/timing/sample_statistics.h"

namespace tessera::cli {

// How far a result is from float64.
struct KernelError {
  double worst_ratio = 0;     // |error| / tolerance of the worst element; above 1 is wrong
  double relative_error = 0;  // norm of the error / norm of the result; 0 where bits are compared
  size_t elements = 0;        // that were compared: an excerpt of large problems
};

// One kernel on one problem.
struct MeasuredKernel {
  std::string kernel;
  std::string refused;  // why it cannot run the problem; the rest is then empty
  std::string failed;   // what went wrong when it ran; likewise
  Problem problem;      // in the layouts that the kernel prefers
  SampleStatistics microseconds;
  double spread = 0;  // |first run - second run| / median, of the medians
  std::optional<double> of_vendor;
  std::optional<double> of_roof;
  std::vector<LaunchResources> launches;  // those that are not a library's
  std::optional<KernelError> error;       // nothing for the device copy

  [[nodiscard]] bool is_timed() const { return refused.empty() && failed.empty(); }
};

struct KernelBenchOptions {
  std::vector<std::string> kernels;  // by name; all of the family when empty
  double budget_seconds = 0.5;       // per kernel and run
};

// Times every kernel of the problem's family, from the last of the backend's list (the simplest) to
// the first, and for a family that only moves memory a copy of as many bytes. The kernels take
// their samples in turns, so that a change of clocks meets all alike, in two runs. Kernels that
// refuse or fail have rows too. Errors are those of the device or of memory.
Result<std::vector<MeasuredKernel>> bench_kernels(const OpenDevice& device, const Problem& problem,
                                                  const KernelBenchOptions& options);

// The name of the row of a copy.
inline constexpr const char* kDeviceCopy = "device copy";

}  // namespace tessera::cli
