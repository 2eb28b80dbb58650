// SPDX-License-Identifier: Apache-2.0
#include "kernels/select.h"

#include <algorithm>

namespace tessera {

std::vector<Candidate> candidates(const Problem& problem, const Backend& backend,
                                  const DeviceInfo& device) {
  std::vector<Candidate> found;
  for (const KernelEntry* entry : backend.kernels()) {
    if (entry->family != problem_family(problem)) continue;
    found.push_back({entry, entry->supports(problem, device)});
  }
  return found;
}

namespace {

Result<const KernelEntry*> select_forced(const Problem& problem, const Backend& backend,
                                         const std::vector<Candidate>& all, std::string_view name) {
  const auto match = std::find_if(all.begin(), all.end(),
                                  [&](const Candidate& c) { return c.entry->name == name; });
  if (match == all.end()) {
    std::string known;
    for (const Candidate& candidate : all) known.append(1, ' ').append(candidate.entry->name);
    return unsupported("backend " + std::string(backend.name) + " has no " +
                       std::string(problem_family(problem)) + " kernel named '" +
                       std::string(name) + "'; it has:" + known);
  }
  if (!match->support.ok()) {
    return unsupported("kernel " + std::string(name) + " cannot run " + to_string(problem) + ": " +
                       match->support.reason());
  }
  return match->entry;
}

}  // namespace

Result<const KernelEntry*> select(const Problem& problem, const Backend& backend,
                                  const DeviceInfo& device, std::string_view forced_name) {
  const std::vector<Candidate> all = candidates(problem, backend, device);
  if (!forced_name.empty()) return select_forced(problem, backend, all, forced_name);
  std::string reasons;
  for (const Candidate& candidate : all) {
    if (candidate.support.ok()) return candidate.entry;
    reasons += "; " + std::string(candidate.entry->name) + ": " + candidate.support.reason();
  }
  if (all.empty()) reasons = "; it has no " + std::string(problem_family(problem)) + " kernel";
  return unsupported("no kernel of backend " + std::string(backend.name) + " can run " +
                     to_string(problem) + reasons);
}

}  // namespace tessera
