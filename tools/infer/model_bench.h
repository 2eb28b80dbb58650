// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/status.h"
#include "engine/executor/compiled_model.h"
#include "engine/model/input_shapes.h"
#include "kernels/timing/sample_statistics.h"
#include "tessera/model.h"

namespace tessera::cli {

struct BenchLimits {
  double warm_up_seconds = 0.2;
  // Of each of the two measurements: at least so long and so many runs, whichever is more.
  double seconds = 3;
  int64_t iterations = 10;
};

// All times in microseconds of one run of the network, one in flight.
struct BatchTiming {
  // From input in host memory to output in host memory, waited for: copy in, network, copy out.
  SampleStatistics host_to_host;
  // Parts of it. Copies: nothing where the device shares the host's memory.
  SampleStatistics enqueue;  // host time of handing the network to the device
  std::optional<SampleStatistics> copy_in;
  std::optional<SampleStatistics> copy_out;
  // The network alone, input and output on the device, run after run without waiting between.
  SampleStatistics device_only;
};

// One step of the program, run alone again and again on the same memory (caches warm), the host not
// in the figure on a device with graphs.
struct StepTiming {
  StepReport step;
  double microseconds = 0;  // median
};

// Times runs of `compiled` on random input. Requires: compiled for these shapes.
Result<BatchTiming> time_batch(const CompiledModel& compiled, const OpenDevice& device,
                               std::span<const Tensor> inputs, const BenchLimits& limits);

Result<std::vector<StepTiming>> time_steps(const CompiledModel& compiled, const OpenDevice& device,
                                           std::span<const Tensor> inputs);

}  // namespace tessera::cli
