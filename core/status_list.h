// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/status.h"

namespace tessera {

// Collects problems so that all of them are reported at once, and in a message short enough to read
// however many there are. What several places have in common becomes one line, which names the
// first few and counts the others; of problems that differ only in the names they quote, the first
// few are lines and the others are counted. The code of the whole is that of the first problem.
class StatusList {
 public:
  // Adds `status` as "where: message" unless it is OK.
  void add(const std::string& where, const Status& status);
  // Adds `status` as it stands unless it is OK.
  void add(const Status& status) { add("", status); }

  [[nodiscard]] bool empty() const { return code_ == StatusCode::kOk; }
  // OK, or one line per problem, kinds of problem in the order in which they were first met.
  [[nodiscard]] Status status() const;

 private:
  // A message and the places that have it.
  struct Line {
    std::string message;
    std::vector<std::string> places;
    size_t more_places = 0;
    [[nodiscard]] std::string to_string() const;
  };
  struct Kind {
    std::vector<Line> lines;
    size_t more = 0;
  };

  // Null when there are too many kinds already.
  Kind* find_kind(const std::string& message);

  StatusCode code_ = StatusCode::kOk;
  std::vector<Kind> kinds_;
  std::map<std::string, size_t> index_;  // of kinds_, by message without the quoted names
  size_t more_ = 0;                      // problems of kinds that are not kept
};

}  // namespace tessera
