// SPDX-License-Identifier: Apache-2.0
#include "engine/program/layer_pattern.h"

namespace tessera {

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
    } else if (p < pattern.size() && (pattern[p] == text[t] || pattern[p] == '?')) {
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

bool matches_member(std::string_view pattern, const Step& step, size_t member) {
  return matches_pattern(pattern, step.node_names[member]) ||
         matches_pattern(pattern, step.op_types[member]);
}

bool matches_step(std::string_view pattern, const Step& step) {
  for (size_t member = 0; member < step.node_names.size(); ++member) {
    if (matches_member(pattern, step, member)) return true;
  }
  return false;
}

std::string layer_names(const Program& program) {
  constexpr size_t kListed = 60;
  std::string names;
  size_t count = 0;
  for (const Step& step : program.steps) {
    for (const std::string& name : step.node_names) {
      if (++count <= kListed) names += " " + name;
    }
  }
  if (count <= kListed) return names;
  return names + " and " + std::to_string(count - kListed) +
         " more (infer explain MODEL lists all)";
}

}  // namespace tessera
