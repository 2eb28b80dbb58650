// SPDX-License-Identifier: Apache-2.0
#include "kernels/select.h"

#include <algorithm>

namespace tessera {
namespace {

// "onednn" of "onednn_conv", "conv_im2col" of "conv_im2col/gemm_naive".
bool is_beginning(std::string_view name, std::string_view kernel) {
  if (name.empty() || kernel.size() <= name.size() || !kernel.starts_with(name)) return false;
  return kernel[name.size()] == '_' || kernel[name.size()] == '/';
}

// "gemm_naive" of "conv_im2col/gemm_naive".
bool is_ending(std::string_view name, std::string_view kernel) {
  const size_t slash = kernel.find('/');
  return slash != std::string_view::npos && kernel.substr(slash + 1) == name;
}

}  // namespace

std::vector<Candidate> candidates(const Problem& problem, const Backend& backend,
                                  const DeviceInfo& device) {
  std::vector<Candidate> found;
  for (const KernelEntry* entry : backend.kernels()) {
    if (entry->family != problem_family(problem)) continue;
    found.push_back({entry, entry->supports(problem, device)});
  }
  return found;
}

std::vector<const KernelEntry*> kernels_named(std::string_view name, const Backend& backend,
                                              std::string_view family) {
  std::vector<const KernelEntry*> same_name;
  std::vector<const KernelEntry*> same_beginning;
  for (const KernelEntry* entry : backend.kernels()) {
    if (!family.empty() && entry->family != family) continue;
    if (entry->name == name) same_name.push_back(entry);
    if (is_beginning(name, entry->name) || is_ending(name, entry->name)) {
      same_beginning.push_back(entry);
    }
  }
  return same_name.empty() ? same_beginning : same_name;
}

namespace {

Result<const KernelEntry*> select_forced(const Problem& problem, const Backend& backend,
                                         const DeviceInfo& device, std::string_view name) {
  const std::string_view family = problem_family(problem);
  const std::vector<const KernelEntry*> meant = kernels_named(name, backend, family);
  if (meant.empty()) {
    std::string known;
    for (const KernelEntry* entry : backend.kernels()) {
      if (entry->family == family) known.append(1, ' ').append(entry->name);
    }
    return unsupported("backend " + std::string(backend.name) + " has no " + std::string(family) +
                       " kernel named '" + std::string(name) + "'; it has:" + known);
  }
  std::string reasons;
  for (const KernelEntry* entry : meant) {
    const Support support = entry->supports(problem, device);
    if (support.ok()) return entry;
    reasons += (reasons.empty() ? "kernel " : "; kernel ") + std::string(entry->name) +
               " cannot run " + to_string(problem) + ": " + support.reason();
  }
  return unsupported(reasons);
}

}  // namespace

Result<const KernelEntry*> select(const Problem& problem, const Backend& backend,
                                  const DeviceInfo& device, std::string_view forced_name) {
  if (!forced_name.empty()) return select_forced(problem, backend, device, forced_name);
  const std::vector<Candidate> all = candidates(problem, backend, device);
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
