// SPDX-License-Identifier: Apache-2.0
#include "engine/program/kernel_choice.h"

#include <algorithm>

namespace tessera {
namespace {

bool matches_step(const std::string& pattern, const Step& step) {
  const auto matches = [&](const std::string& text) { return matches_pattern(pattern, text); };
  return std::any_of(step.node_names.begin(), step.node_names.end(), matches) ||
         std::any_of(step.op_types.begin(), step.op_types.end(), matches);
}

bool is_of_family(const Backend& backend, const std::string& kernel, std::string_view family) {
  const auto kernels = backend.kernels();
  return std::any_of(kernels.begin(), kernels.end(), [&](const KernelEntry* entry) {
    return entry->name == kernel && entry->family == family;
  });
}

bool has_wildcard(const std::string& pattern) { return pattern.find('*') != std::string::npos; }

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // Greedy matching with one point of return: the last star and how far it has reached.
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string KernelWishes::kernel_for(const Step& step, const Backend& backend) const {
  for (const auto& [pattern, kernel] : wishes_) {
    if (!matches_step(pattern, step)) continue;
    if (has_wildcard(pattern) && !is_of_family(backend, kernel, problem_family(step.problem))) {
      continue;
    }
    return kernel;
  }
  return {};
}

Status KernelWishes::validate(const Program& program, const Backend& backend) const {
  for (const auto& [pattern, kernel] : wishes_) {
    const auto kernels = backend.kernels();
    const bool exists = std::any_of(kernels.begin(), kernels.end(), [&](const KernelEntry* entry) {
      return entry->name == kernel;
    });
    if (!exists) {
      std::string known;
      for (const KernelEntry* entry : kernels) known += " " + std::string(entry->name);
      return invalid_argument("backend " + std::string(backend.name) + " has no kernel '" + kernel +
                              "'; it has:" + known);
    }
    const bool used = std::any_of(program.steps.begin(), program.steps.end(),
                                  [&](const Step& s) { return matches_step(pattern, s); });
    if (!used) {
      return invalid_argument("no layer's name or operator matches '" + pattern +
                              "' (infer explain MODEL lists the layers)");
    }
  }
  return {};
}

}  // namespace tessera
