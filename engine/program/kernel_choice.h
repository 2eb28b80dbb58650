// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/program/program.h"
#include "kernels/select.h"

namespace tessera {

// Matches `text` against a pattern in which `*` stands for any characters.
bool matches_pattern(std::string_view pattern, std::string_view text);

// Which kernel a user wants for which layer: (pattern, kernel name) pairs, the first that matches a
// layer's node name or operator counts. A pattern with a wildcard leaves layers alone for whose
// kind of problem the kernel is not made; one without is an order.
class KernelWishes {
 public:
  explicit KernelWishes(std::vector<std::pair<std::string, std::string>> wishes)
      : wishes_(std::move(wishes)) {}

  // The name of the kernel that `step` must use, empty when it is free.
  [[nodiscard]] std::string kernel_for(const Step& step, const Backend& backend) const;

  // kInvalidArgument for a kernel that `backend` does not have in any family, and for a pattern
  // that matches no layer of `program`.
  [[nodiscard]] Status validate(const Program& program, const Backend& backend) const;

 private:
  std::vector<std::pair<std::string, std::string>> wishes_;
};

}  // namespace tessera
