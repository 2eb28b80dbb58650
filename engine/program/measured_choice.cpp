// SPDX-License-Identifier: Apache-2.0
// The part of KernelChooser that knows kernels by name and by measurement.
#include <algorithm>

#include "engine/program/kernel_choice.h"

namespace tessera {
namespace {

const KernelEntry* entry_named(const Backend& backend, const PlanEntry& planned,
                               const Problem& problem) {
  for (const KernelEntry* entry : backend.kernels()) {
    if (entry->name == planned.kernel && entry->family == problem_family(problem)) return entry;
  }
  return nullptr;
}

std::string with_evidence(const std::string& origin, const ChoiceEvidence& evidence) {
  const std::string text = to_string(evidence);
  return text.empty() ? origin : origin + " (" + text + ")";
}

}  // namespace

Result<KernelChoice> KernelChooser::choose_forced(const Step& step, const std::string& name,
                                                  const std::string& origin) const {
  KernelChoice choice;
  choice.origin = choice.reason = "forced by " + origin;
  const Result<const KernelEntry*> entry = select(step.problem, backend_, device_, name);
  if (!entry.ok()) {
    return unsupported(choice.origin + ": " + entry.status().message() + "; --layer-backends '" +
                       step.node_names.front() + ":auto' frees the layer");
  }
  choice.entry = *entry;
  choice.evidence = evidence_for(*choice.entry, step);
  return choice;
}

std::optional<KernelChoice> KernelChooser::choose_planned(const Step& step) const {
  if (options_.plan == nullptr) return std::nullopt;
  const PlanEntry* planned = options_.plan->find(step.name(), choice_key(step.problem));
  if (planned == nullptr) return std::nullopt;
  const KernelEntry* entry = entry_named(backend_, *planned, step.problem);
  if (entry == nullptr || !entry->supports(step.problem, device_).ok()) return std::nullopt;
  KernelChoice choice;
  choice.entry = entry;
  choice.origin = "plan " + options_.plan->path;
  choice.evidence = planned->evidence;
  choice.reason = "from " + with_evidence(choice.origin, choice.evidence);
  return choice;
}

// The fastest of some kernels means little when the one that would be taken otherwise is not among
// them.
std::optional<KernelChoice> KernelChooser::choose_timed(const Step& step) const {
  if (options_.timings == nullptr) return std::nullopt;
  const std::string key = choice_key(step.problem);
  KernelChoice best;
  bool is_first = true;
  for (const Candidate& candidate : candidates(step.problem, backend_, device_)) {
    if (!candidate.support.ok()) continue;
    const std::string name(candidate.entry->name);
    const KernelMeasurement* measured = options_.timings->find(key_, key, name);
    if (std::exchange(is_first, false) && measured == nullptr) return std::nullopt;
    if (measured == nullptr || !measured->is_correct()) continue;
    ChoiceEvidence& evidence = best.evidence;
    if (best.entry == nullptr || measured->microseconds < *evidence.microseconds) {
      if (best.entry != nullptr) {
        evidence.runner_up = best.entry->name;
        evidence.runner_up_microseconds = evidence.microseconds;
      }
      best.entry = candidate.entry;
      evidence.microseconds = measured->microseconds;
      evidence.error = measured->error;
    } else if (!evidence.runner_up_microseconds ||
               measured->microseconds < *evidence.runner_up_microseconds) {
      evidence.runner_up = name;
      evidence.runner_up_microseconds = measured->microseconds;
    }
  }
  if (best.entry == nullptr) return std::nullopt;
  best.origin = "timing cache";
  best.reason = with_evidence(best.origin, best.evidence);
  return best;
}

ChoiceEvidence KernelChooser::evidence_for(const KernelEntry& entry, const Step& step) const {
  ChoiceEvidence evidence;
  if (options_.timings == nullptr) return evidence;
  const KernelMeasurement* measured =
      options_.timings->find(key_, choice_key(step.problem), std::string(entry.name));
  if (measured == nullptr) return evidence;
  evidence.microseconds = measured->microseconds;
  evidence.error = measured->error;
  return evidence;
}

std::string KernelChooser::put_stale_plan_aside(int64_t batch, const std::string& precision) {
  if (options_.plan == nullptr) return {};
  const std::string why = options_.plan->mismatch(key_, batch, precision);
  if (why.empty()) return {};
  const std::string path = options_.plan->path;
  options_.plan = nullptr;
  return "plan " + path + " " + why +
         "; it is ignored: make one for this with infer tune MODEL --save-plan";
}

std::string KernelChooser::staleness(const PlanEntry& entry, const Program& program) const {
  const auto same_name = [&](const Step& step) { return step.name() == entry.layer; };
  const Step* namesake = nullptr;
  for (const Step& step : program.steps) {
    if (!same_name(step)) continue;
    namesake = &step;
    if (choice_key(step.problem) != entry.problem) continue;
    const KernelEntry* kernel = entry_named(backend_, entry, step.problem);
    if (kernel == nullptr) return "backend " + std::string(backend_.name) + " has no such kernel";
    const Support support = kernel->supports(step.problem, device_);
    return support.ok() ? "" : "the kernel cannot run it: " + support.reason();
  }
  if (namesake == nullptr) return "the network has no such layer";
  return "the layer's problem is now " + choice_key(namesake->problem) + ", not " + entry.problem;
}

std::vector<std::string> KernelChooser::stale_entries(const Program& program) const {
  std::vector<std::string> sentences;
  if (options_.plan == nullptr) return sentences;
  for (const PlanEntry& entry : options_.plan->layers) {
    const std::string why = staleness(entry, program);
    if (why.empty()) continue;
    sentences.push_back("plan " + options_.plan->path + ": " + entry.layer + " on " + entry.kernel +
                        ": " + why +
                        "; the entry is ignored: renew it with infer tune MODEL --save-plan");
  }
  const size_t entries = options_.plan->layers.size();
  if (entries < 2 || sentences.size() < entries) return sentences;
  return {"plan " + options_.plan->path + ": none of its " + std::to_string(entries) +
          " entries fits this network; it is ignored: make one for this with infer tune MODEL "
          "--save-plan"};
}

}  // namespace tessera
