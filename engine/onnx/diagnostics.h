// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/status.h"

namespace tessera {

// Collects the problems of one model file, so that all are reported at once. Every line starts with
// the file; a hostile file with a million problems gets no message of a million lines.
class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}

  // `problem` is one line without the file. The code of the whole is that of the first problem.
  void add(StatusCode code, const std::string& problem);
  // Adds `status`, with "where: " before its message, unless it is OK.
  void add(const std::string& where, const Status& status);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  // OK when there are no problems.
  [[nodiscard]] Status status() const;

 private:
  std::string file_;
  StatusCode code_ = StatusCode::kOk;
  std::string lines_;
  size_t count_ = 0;
};

}  // namespace tessera
