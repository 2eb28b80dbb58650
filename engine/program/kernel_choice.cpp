// SPDX-License-Identifier: Apache-2.0
#include "engine/program/kernel_choice.h"

#include <algorithm>

#include "core/check.h"
#include "core/nearest.h"
#include "core/status_list.h"
#include "engine/program/layer_pattern.h"

namespace tessera {
namespace {

constexpr std::string_view kAuto = "auto";

bool has_wildcard(const std::string& pattern) {
  return pattern.find_first_of("*?") != std::string::npos;
}

std::string rule_text(const std::pair<std::string, std::string>& rule) {
  return "--layer-backends '" + rule.first + ":" + rule.second + "'";
}

// Kernels, and what their names begin with: "onednn_conv", "onednn".
std::vector<std::string> possible_names(const Backend& backend) {
  std::vector<std::string> names;
  for (const KernelEntry* entry : backend.kernels()) {
    names.emplace_back(entry->name);
    names.emplace_back(entry->name.substr(0, entry->name.find('_')));
  }
  return names;
}

}  // namespace

std::string choice_key(const Problem& problem) {
  Problem plain = problem;
  if (auto* conv = std::get_if<ConvProblem>(&plain)) {
    conv->src_layout = conv->dst_layout = Layout::kRowMajor;
  }
  return to_string(plain);
}

bool KernelChooser::fits(const std::string& name, const Step& step) const {
  return name == kAuto || !kernels_named(name, backend_, problem_family(step.problem)).empty();
}

// Each node has its first rule. Of a fused group the earliest of these counts, unless one of them
// is an order that the group cannot follow: the choice then fails, and the group is not fused.
const KernelChooser::Rule* KernelChooser::rule_for(const Step& step) const {
  TESSERA_CHECK(step.node_names.size() == step.op_types.size());
  const Rule* earliest = nullptr;
  for (size_t member = 0; member < step.node_names.size(); ++member) {
    const auto rule = std::find_if(
        options_.layer_backends.begin(), options_.layer_backends.end(), [&](const Rule& candidate) {
          const bool can_follow = fits(candidate.second, step) || !has_wildcard(candidate.first);
          return can_follow && matches_member(candidate.first, step, member);
        });
    if (rule == options_.layer_backends.end()) continue;
    if (!fits(rule->second, step)) return &*rule;
    if (earliest == nullptr || &*rule < earliest) earliest = &*rule;
  }
  return earliest;
}

Result<KernelChoice> KernelChooser::choose(const Step& step) const {
  if (const Rule* rule = rule_for(step)) {
    if (rule->second != kAuto) return choose_forced(step, rule->second, rule_text(*rule));
  } else if (!options_.backend.empty() && options_.backend != kAuto &&
             fits(options_.backend, step)) {
    return choose_forced(step, options_.backend, "--backend " + options_.backend);
  }
  if (auto planned = choose_planned(step)) return *std::move(planned);
  if (auto timed = choose_timed(step)) return *std::move(timed);
  KernelChoice choice;
  TESSERA_ASSIGN_OR_RETURN(choice.entry, select(step.problem, backend_, device_));
  choice.reason = "first in order that supports it";
  choice.evidence = evidence_for(*choice.entry, step);
  return choice;
}

Status KernelChooser::check_name(const std::string& option, const std::string& name) const {
  if (name == kAuto || !kernels_named(name, backend_).empty()) return {};
  std::string message = option + ": backend " + std::string(backend_.name) +
                        " has no kernel or library '" + name + "'";
  for (const Backend* other : backends()) {
    if (kernels_named(name, *other).empty()) continue;
    return invalid_argument(message + "; " + std::string(other->name) + " has: use --device " +
                            std::string(other->name));
  }
  const std::string nearest = nearest_word(name, possible_names(backend_));
  if (!nearest.empty()) message += "; did you mean " + nearest + "?";
  message += "; its kernels:";
  for (const KernelEntry* entry : backend_.kernels()) {
    message.append(1, ' ').append(entry->name);
  }
  return invalid_argument(message);
}

Status KernelChooser::check_names() const {
  StatusList problems;
  if (!options_.backend.empty()) problems.add(check_name("--backend", options_.backend));
  for (const Rule& rule : options_.layer_backends) {
    problems.add(check_name(rule_text(rule), rule.second));
  }
  return problems.status();
}

Status KernelChooser::check_patterns(const Program& program) const {
  StatusList problems;
  for (const Rule& rule : options_.layer_backends) {
    bool matched = false;
    bool fitting = false;
    for (const Step& step : program.steps) {
      if (!matches_step(rule.first, step)) continue;
      matched = true;
      fitting = fitting || fits(rule.second, step);
    }
    if (!matched) {
      problems.add(invalid_argument(rule_text(rule) + ": no layer's name or operator matches '" +
                                    rule.first + "'; the layers are:" + layer_names(program)));
    } else if (!fitting) {
      problems.add(invalid_argument(rule_text(rule) + ": the layers that match '" + rule.first +
                                    "' are not of the kind that " + rule.second + " computes"));
    }
  }
  return problems.status();
}

}  // namespace tessera
