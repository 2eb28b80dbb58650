// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>

#include "core/math.h"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace tessera::cpu {

inline int thread_count() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#endif
}

// Calls function(begin, end) for consecutive parts of [0, count), on several threads when there are
// at least two parts of `grain` items. Results must not depend on where the parts begin.
template <typename Function>
void parallel_for(int64_t count, int64_t grain, Function&& function) {
  const int64_t parts = std::min<int64_t>(thread_count(), count / std::max<int64_t>(grain, 1));
  if (parts <= 1) {
    if (count > 0) function(int64_t{0}, count);
    return;
  }
  const int64_t part_size = ceil_div(count, parts);
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t begin = part * part_size;
    const int64_t end = std::min(begin + part_size, count);
    if (begin < end) function(begin, end);
  }
}

// Elements of simple arithmetic below which another thread costs more than it brings.
constexpr int64_t kParallelElements = 16384;

}  // namespace tessera::cpu
