// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace tessera::reference {

// Calls function(i) for every i in [0, count), consecutive parts on as many threads as the machine
// has. Requires: calls do not depend on one another.
template <typename Function>
void parallel_for(int64_t count, const Function& function) {
  const auto threads = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  const int64_t parts = std::min(count, threads);
  const auto run_part = [&](int64_t part) {
    const int64_t end = (part + 1) * count / parts;
    for (int64_t i = part * count / parts; i < end; ++i) function(i);
  };
  std::vector<std::jthread> others;
  for (int64_t part = 1; part < parts; ++part) others.emplace_back(run_part, part);
  if (parts > 0) run_part(0);
}

}  // namespace tessera::reference
