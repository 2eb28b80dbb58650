// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/status.h"
#include "core/status_list.h"

namespace tessera {

// Collects the problems of one model file, so that all are reported at once, grouped as StatusList
// does. Every line starts with the file.
class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}

  // `problem` is one line without the file. The code of the whole is that of the first problem.
  void add(StatusCode code, const std::string& problem) { problems_.add(Status(code, problem)); }
  // Adds `status`, with "where: " before its message, unless it is OK.
  void add(const std::string& where, const Status& status) { problems_.add(where, status); }

  [[nodiscard]] bool empty() const { return problems_.empty(); }
  // OK when there are no problems.
  [[nodiscard]] Status status() const;

 private:
  std::string file_;
  StatusList problems_;
};

}  // namespace tessera
