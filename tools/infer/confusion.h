// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::cli {

// Counts of (label, prediction) over a labelled set.
class Confusion {
 public:
  explicit Confusion(size_t classes) : classes_(classes), counts_(classes * classes, 0) {}

  // Requires: both in [0, classes()).
  void add(int64_t label, int64_t predicted) { ++counts_[index(label, predicted)]; }

  [[nodiscard]] size_t classes() const { return classes_; }
  [[nodiscard]] int64_t count(int64_t label, int64_t predicted) const {
    return counts_[index(label, predicted)];
  }
  [[nodiscard]] int64_t correct() const;
  [[nodiscard]] int64_t labelled(int64_t label) const;          // sum of a row
  [[nodiscard]] int64_t predicted_as(int64_t predicted) const;  // sum of a column
  // correct / predicted_as, and correct / labelled; NaN when that is 0 / 0.
  [[nodiscard]] double precision(int64_t c) const;
  [[nodiscard]] double recall(int64_t c) const;

 private:
  [[nodiscard]] size_t index(int64_t label, int64_t predicted) const {
    return static_cast<size_t>(label) * classes_ + static_cast<size_t>(predicted);
  }

  size_t classes_;
  std::vector<int64_t> counts_;
};

}  // namespace tessera::cli
