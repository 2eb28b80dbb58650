// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/status.h"

namespace tessera {

// Collects problems so that all of them are reported at once. The code of the whole is that of the
// first problem.
class StatusList {
 public:
  // Adds `status` as "where: message" unless it is OK.
  void add(const std::string& where, const Status& status);
  // Adds every line of `status` as it stands unless it is OK.
  void add(const Status& status);

  [[nodiscard]] bool empty() const { return combined_.ok(); }
  // OK, or one line per problem.
  [[nodiscard]] Status status() const { return combined_; }

 private:
  Status combined_;
};

}  // namespace tessera
