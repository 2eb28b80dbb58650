// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/plan_files.h"

#include <filesystem>
#include <fmt/format.h>

#include "tools/infer/console.h"

namespace tessera::cli {

Result<std::shared_ptr<TimingCache>> open_timing_cache(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(TimingCache cache, TimingCache::load(path));
  if (cache.broken_lines() > 0) {
    print_problem(
        fmt::format("{}: {} lines cannot be read and are ignored", path, cache.broken_lines()));
  }
  return std::make_shared<TimingCache>(std::move(cache));
}

Status save_plan_if_asked(const ExecutionOptions& options, const PlanReport& report,
                          const OpenDevice& device) {
  if (options.save_plan.empty()) return {};
  return save_plan(make_plan(report, device), options.save_plan);
}

std::vector<std::string> files_of_model(const std::string& model) {
  const std::filesystem::path path(model);
  return {model, (path.parent_path() / path.stem()).string() + ".infer.json"};
}

Status refuse_to_overwrite(const std::string& flag, const std::string& target,
                           const std::vector<std::string>& read) {
  for (const std::string& path : read) {
    std::error_code error;
    if (std::filesystem::equivalent(target, path, error) && !error) {
      return invalid_argument(
          fmt::format("{} {}: this run reads that file ({})", flag, target, path));
    }
  }
  return {};
}

}  // namespace tessera::cli
