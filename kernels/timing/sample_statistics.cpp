// SPDX-License-Identifier: Apache-2.0
#include "kernels/timing/sample_statistics.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tessera {
namespace {

double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

SampleStatistics summarize(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  SampleStatistics statistics;
  statistics.count = sorted.size();
  statistics.min = sorted.front();
  statistics.median = quantile(sorted, 0.5);
  statistics.mean =
      std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  statistics.p90 = quantile(sorted, 0.90);
  statistics.p95 = quantile(sorted, 0.95);
  statistics.p99 = quantile(sorted, 0.99);
  return statistics;
}

}  // namespace tessera
