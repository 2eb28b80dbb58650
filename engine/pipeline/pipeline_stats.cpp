// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "engine/pipeline/pipeline.h"

namespace tessera {
namespace {

std::array<std::pair<const char*, double>, 5> stages(const PipelineStats& stats) {
  return {{{"decode", stats.decode_seconds},
           {"copy in", stats.copy_in_seconds},
           {"compute", stats.compute_seconds},
           {"copy out", stats.copy_out_seconds},
           {"write", stats.write_seconds}}};
}

std::pair<const char*, double> longest_stage(const PipelineStats& stats) {
  const auto all = stages(stats);
  return *std::max_element(all.begin(), all.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

}  // namespace

double PipelineStats::sum_seconds() const {
  double sum = 0;
  for (const auto& [name, seconds] : stages(*this)) sum += seconds;
  return sum;
}

double PipelineStats::longest_seconds() const { return longest_stage(*this).second; }

std::string PipelineStats::bound_by() const { return longest_stage(*this).first; }

}  // namespace tessera
