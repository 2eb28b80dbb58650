// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/choice_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace tessera::cli {

std::string describe_choice(const PlanReport& plan) {
  std::map<std::string, size_t> chosen;  // layers by origin
  std::set<std::string> free_families;
  for (const StepReport& step : plan.steps) {
    if (!step.origin.empty()) {
      ++chosen[step.origin];
    } else {
      free_families.insert(step.family);
    }
  }
  if (chosen.empty()) return "automatic";
  std::string text;
  for (const auto& [origin, layers] : chosen) {
    text += fmt::format("{}{} for {} of {} layers", text.empty() ? "" : ", ", origin, layers,
                        plan.steps.size());
  }
  if (!free_families.empty()) {
    text += fmt::format("; automatic for {}", fmt::join(free_families, ", "));
  }
  return text;
}

}  // namespace tessera::cli
