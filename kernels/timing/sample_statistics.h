// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace tessera {

// What a list of samples comes to. A fraction between two samples is interpolated, as numpy does.
struct SampleStatistics {
  size_t count = 0;
  double min = 0;
  double median = 0;
  double mean = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
};

// All zero for no samples.
SampleStatistics summarize(std::span<const double> samples);

}  // namespace tessera
