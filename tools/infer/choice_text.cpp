// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/choice_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace tessera::cli {

std::string describe_choice(const PlanReport& plan) {
  std::map<std::string, size_t> forced;  // layers by reason
  std::set<std::string> free_families;
  for (const StepReport& step : plan.steps) {
    if (step.is_forced) {
      ++forced[step.reason];
    } else {
      free_families.insert(step.family);
    }
  }
  if (forced.empty()) return "automatic";
  std::string text;
  for (const auto& [reason, layers] : forced) {
    text += fmt::format("{}{} for {} of {} layers", text.empty() ? "" : ", ", reason, layers,
                        plan.steps.size());
  }
  if (!free_families.empty()) {
    text += fmt::format("; automatic for {}", fmt::join(free_families, ", "));
  }
  return text;
}

}  // namespace tessera::cli
