// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

namespace tessera::cli {

// A bar on stderr: appears when the work has lasted a second, and only when `enabled`.
class Progress {
 public:
  Progress(size_t total, bool enabled);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of the total are finished; redraws at most ten times a second.
  void update(size_t done);
  // Takes the bar off the screen, before something else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  size_t total_;
  bool enabled_;
  bool visible_ = false;
  Clock::time_point start_;
  Clock::time_point next_draw_;
};

}  // namespace tessera::cli
