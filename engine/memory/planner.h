// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/status.h"

namespace tessera {

// When a block of memory is in use: from the step that writes it to the last that reads it, both
// included.
struct LifeTime {
  int first_step = 0;
  int last_step = 0;
  size_t size_bytes = 0;
};

// Where each block lies in one arena. Blocks whose life times overlap do not overlap in memory.
struct MemoryPlan {
  std::vector<size_t> offset_bytes;  // one per LifeTime, multiples of kArenaAlignment
  size_t arena_bytes = 0;
};

inline constexpr size_t kArenaAlignment = 256;

// Places blocks largest first, each at the lowest offset where it fits among those already placed
// that live at the same time (greedy by size, Pisarchyk & Lee 2020, "Efficient Memory Management
// for Deep Neural Net Inference", section 5.2). kOutOfMemory when the sum overflows.
Result<MemoryPlan> plan_memory(std::span<const LifeTime> life_times);

}  // namespace tessera
