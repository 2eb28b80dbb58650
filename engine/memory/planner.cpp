// SPDX-License-Identifier: Apache-2.0
#include "engine/memory/planner.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/math.h"

namespace tessera {
namespace {

bool overlap_in_time(const LifeTime& a, const LifeTime& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

// The lowest offset at which `size` bytes fit beside the `placed` blocks, sorted by offset.
size_t lowest_gap(size_t size, std::span<const size_t> placed, const MemoryPlan& plan,
                  std::span<const size_t> sizes) {
  size_t offset = 0;
  for (const size_t other : placed) {
    if (plan.offset_bytes[other] >= offset + size) break;
    offset = std::max(offset, plan.offset_bytes[other] + sizes[other]);
  }
  return offset;
}

}  // namespace

Result<MemoryPlan> plan_memory(std::span<const LifeTime> life_times) {
  std::vector<size_t> sizes;
  size_t sum = 0;
  for (const LifeTime& life : life_times) {
    constexpr size_t kLimit = std::numeric_limits<size_t>::max() / 4;
    if (life.size_bytes > kLimit || sum > kLimit) {
      return out_of_memory("the activations of the model do not fit into 64 bits of address space");
    }
    sizes.push_back(round_up(life.size_bytes, kArenaAlignment));
    sum += sizes.back();
  }
  std::vector<size_t> order(life_times.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });

  MemoryPlan plan;
  plan.offset_bytes.resize(life_times.size());
  std::vector<size_t> placed;  // indices of placed blocks, by offset
  for (const size_t block : order) {
    std::vector<size_t> neighbours;
    std::copy_if(placed.begin(), placed.end(), std::back_inserter(neighbours), [&](size_t other) {
      return overlap_in_time(life_times[block], life_times[other]);
    });
    const size_t offset = lowest_gap(sizes[block], neighbours, plan, sizes);
    plan.offset_bytes[block] = offset;
    plan.arena_bytes = std::max(plan.arena_bytes, offset + sizes[block]);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), block,
                                   [&](size_t a, size_t b) {
                                     return plan.offset_bytes[a] < plan.offset_bytes[b];
                                   }),
                  block);
  }
  return plan;
}

}  // namespace tessera
