// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/program/program.h"
#include "kernels/select.h"

namespace tessera {

// Matches `text` against a pattern in which `*` stands for any characters and `?` for one.
bool matches_pattern(std::string_view pattern, std::string_view text);

// What a user wants of the choice of kernels. A "backend" is the name of a kernel or its beginning
// up to an underscore ("onednn" for "onednn_conv"; see kernels_named), or "auto" for a free choice.
struct ChoiceOptions {
  // For every layer of a family that has such a kernel; empty for a free choice.
  std::string backend = {};
  // (pattern, backend): the first pattern that matches a layer's node name or operator counts, and
  // comes before `backend`. A fused group is matched by each of its nodes. A pattern with a
  // wildcard leaves layers alone for whose family there is no such kernel; one without is an order.
  std::vector<std::pair<std::string, std::string>> layer_backends = {};
};

// The kernel of a step and why it was chosen.
struct KernelChoice {
  const KernelEntry* entry = nullptr;
  bool is_forced = false;
  std::string reason;  // "forced by --backend onednn"
};

// Chooses the kernel of a step: the one that is forced, else the first that supports its problem.
class KernelChooser {
 public:
  KernelChooser(const Backend& backend, const DeviceInfo& device, ChoiceOptions options)
      : backend_(backend), device_(device), options_(std::move(options)) {}

  // kUnsupported says why the forced kernel, or every kernel, refuses.
  [[nodiscard]] Result<KernelChoice> choose(const Step& step) const;

  // kInvalidArgument for a backend that stands for no kernel of any family, with the nearest names.
  [[nodiscard]] Status check_names() const;
  // kInvalidArgument for a pattern that matches no layer of `program`, or only layers for whose
  // families there is no such kernel. Lists the layers' names.
  [[nodiscard]] Status check_patterns(const Program& program) const;

  [[nodiscard]] const DeviceInfo& device() const { return device_; }

 private:
  using Rule = std::pair<std::string, std::string>;

  [[nodiscard]] bool fits(const std::string& name, const Step& step) const;
  [[nodiscard]] const Rule* rule_for(const Step& step) const;
  [[nodiscard]] Status check_name(const std::string& option, const std::string& name) const;

  const Backend& backend_;
  const DeviceInfo& device_;
  ChoiceOptions options_;
};

}  // namespace tessera
