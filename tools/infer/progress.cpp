// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/progress.h"

#include <cstdio>
#include <fmt/format.h>
#include <string>

namespace tessera::cli {

Progress::Progress(size_t total, bool enabled)
    : total_(total),
      enabled_(enabled),
      start_(Clock::now()),
      next_draw_(start_ + std::chrono::seconds(1)) {}

void Progress::update(size_t done) {
  if (!enabled_ || total_ == 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + std::chrono::milliseconds(100);
  constexpr size_t kWidth = 30;
  const size_t filled = kWidth * done / total_;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r\033[K[{}{}] {}/{}  {:.0f}/s", std::string(filled, '#'),
             std::string(kWidth - filled, ' '), done, total_, static_cast<double>(done) / seconds);
  std::fflush(stderr);
  visible_ = true;
}

void Progress::clear() {
  if (!visible_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace tessera::cli
