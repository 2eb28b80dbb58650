// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "core/math.h"
#include "engine/memory/planner.h"

namespace tessera {
namespace {

bool overlap(size_t a, size_t a_size, size_t b, size_t b_size) {
  return a < b + b_size && b < a + a_size;
}

void expect_valid(std::span<const LifeTime> lives, const MemoryPlan& plan) {
  ASSERT_EQ(plan.offset_bytes.size(), lives.size());
  for (size_t i = 0; i < lives.size(); ++i) {
    EXPECT_EQ(plan.offset_bytes[i] % kArenaAlignment, 0u);
    EXPECT_LE(plan.offset_bytes[i] + lives[i].size_bytes, plan.arena_bytes);
    for (size_t j = 0; j < i; ++j) {
      const bool together =
          lives[i].first_step <= lives[j].last_step && lives[j].first_step <= lives[i].last_step;
      if (!together) continue;
      EXPECT_FALSE(overlap(plan.offset_bytes[i], lives[i].size_bytes, plan.offset_bytes[j],
                           lives[j].size_bytes))
          << "blocks " << j << " and " << i;
    }
  }
}

TEST(MemoryPlanner, ChainNeedsTwoBlocks) {
  // a -> b -> c -> d, each 1 KiB: two are alive at any time.
  const std::vector<LifeTime> chain = {{0, 1, 1024}, {1, 2, 1024}, {2, 3, 1024}, {3, 4, 1024}};
  const auto plan = plan_memory(chain);
  ASSERT_TRUE(plan.ok());
  expect_valid(chain, *plan);
  EXPECT_EQ(plan->arena_bytes, 2048u);
}

TEST(MemoryPlanner, FillsGapsBelowLargerBlocks) {
  // The small block lives with both large ones, which do not meet: it goes above their one place.
  const std::vector<LifeTime> lives = {{0, 1, 4096}, {2, 3, 4096}, {1, 2, 256}};
  const auto plan = plan_memory(lives);
  ASSERT_TRUE(plan.ok());
  expect_valid(lives, *plan);
  EXPECT_EQ(plan->arena_bytes, 4096u + 256u);
}

TEST(MemoryPlanner, BlocksOfNoBytesTakeNoMemory) {
  const std::vector<LifeTime> lives = {{0, 1, 0}, {1, 2, 0}};
  const auto plan = plan_memory(lives);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->arena_bytes, 0u);
}

TEST(MemoryPlanner, RefusesMoreThanAnAddressSpace) {
  const std::vector<LifeTime> lives(3, LifeTime{0, 1, std::numeric_limits<size_t>::max() / 3});
  EXPECT_EQ(plan_memory(lives).status().code(), StatusCode::kOutOfMemory);
}

TEST(MemoryPlanner, RandomLifeTimesNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<LifeTime> lives;
    size_t sum = 0;
    for (int i = 0; i < 60; ++i) {
      const int first = static_cast<int>(random() % 40);
      lives.push_back({first, first + static_cast<int>(random() % 8), random() % 10000});
      sum += round_up(lives.back().size_bytes, kArenaAlignment);
    }
    const auto plan = plan_memory(lives);
    ASSERT_TRUE(plan.ok());
    expect_valid(lives, *plan);
    EXPECT_LT(plan->arena_bytes, sum);
  }
}

}  // namespace
}  // namespace tessera
