// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/plan/device_key.h"
#include "engine/plan/plan.h"
#include "engine/plan/timing_cache.h"
#include "engine/program/program.h"
#include "kernels/select.h"

namespace tessera {

// The problem that plans and timings are kept by, as text: a convolution's without its layouts,
// since these follow from its kernel.
std::string choice_key(const Problem& problem);

// What a user wants of the choice of kernels, the strongest wish last. A "backend" is the name of a
// kernel or its beginning up to an underscore ("onednn" for "onednn_conv"; see kernels_named), or
// "auto" for a free choice.
struct ChoiceOptions {
  // For every layer of a family that has such a kernel; empty for a free choice.
  std::string backend = {};
  // (pattern, backend): the first pattern that matches a layer's node name or operator counts, and
  // comes before `backend`. A fused group is matched by each of its nodes. A pattern with a
  // wildcard leaves layers alone for whose family there is no such kernel; one without is an order.
  std::vector<std::pair<std::string, std::string>> layer_backends = {};
  // Kernels by layer, for layers that are not forced; may be null.
  std::shared_ptr<const Plan> plan = nullptr;
  // Where the first kernel in order has been measured, the fastest correct one is taken for layers
  // that are neither forced nor planned; may be null.
  std::shared_ptr<const TimingCache> timings = nullptr;
};

// The kernel of a step and why it was chosen.
struct KernelChoice {
  const KernelEntry* entry = nullptr;
  std::string origin;  // "forced by --backend onednn", "plan FILE", "timing cache"; empty: by order
  std::string reason;  // the origin with its evidence, or "first in order that supports it"
  ChoiceEvidence evidence;
};

// Chooses the kernel of a step: the one that is forced, else the plan's, else the fastest in the
// timing cache, else the first in the backend's order that supports its problem.
class KernelChooser {
 public:
  KernelChooser(const Backend& backend, const DeviceInfo& device, ChoiceOptions options)
      : backend_(backend), device_(device), options_(std::move(options)) {
    if (options_.plan || options_.timings) key_ = make_device_key(backend, device);
  }

  // kUnsupported says why the forced kernel, or every kernel, refuses.
  [[nodiscard]] Result<KernelChoice> choose(const Step& step) const;

  // kInvalidArgument for a backend that stands for no kernel of any family, with the nearest names.
  [[nodiscard]] Status check_names() const;
  // kInvalidArgument for a pattern that matches no layer of `program`, or only layers for whose
  // families there is no such kernel. Lists the layers' names.
  [[nodiscard]] Status check_patterns(const Program& program) const;

  // Puts a plan aside that was made for something else, and says so in one sentence; empty when
  // there is none or it can be used.
  std::string put_stale_plan_aside(int64_t batch, const std::string& precision);
  // One sentence for each entry of the plan that cannot be followed in `program` and what to do, or
  // one for all of them.
  [[nodiscard]] std::vector<std::string> stale_entries(const Program& program) const;

  [[nodiscard]] const DeviceInfo& device() const { return device_; }

 private:
  using Rule = std::pair<std::string, std::string>;

  [[nodiscard]] bool fits(const std::string& name, const Step& step) const;
  [[nodiscard]] const Rule* rule_for(const Step& step) const;
  [[nodiscard]] Result<KernelChoice> choose_forced(const Step& step, const std::string& name,
                                                   const std::string& origin) const;
  [[nodiscard]] std::optional<KernelChoice> choose_planned(const Step& step) const;
  [[nodiscard]] std::optional<KernelChoice> choose_timed(const Step& step) const;
  [[nodiscard]] ChoiceEvidence evidence_for(const KernelEntry& entry, const Step& step) const;
  [[nodiscard]] std::string staleness(const PlanEntry& entry, const Program& program) const;
  [[nodiscard]] Status check_name(const std::string& option, const std::string& name) const;

  const Backend& backend_;
  const DeviceInfo& device_;
  ChoiceOptions options_;
  DeviceKey key_;  // only with a plan or timings
};

}  // namespace tessera
