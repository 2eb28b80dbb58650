// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <thread>

#include "engine/pipeline/blocking_queue.h"

namespace tessera {
namespace {

TEST(BlockingQueue, KeepsTheOrderAcrossItsEnd) {
  BlockingQueue<int> queue(3);
  int next_out = 0;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(queue.push(i));
    if (i >= 2) {
      ASSERT_EQ(queue.pop(), next_out++);
    }
  }
}

TEST(BlockingQueue, TakesMoveOnlyItems) {
  BlockingQueue<std::unique_ptr<int>> queue(1);
  ASSERT_TRUE(queue.push(std::make_unique<int>(7)));
  EXPECT_EQ(**queue.pop(), 7);
}

TEST(BlockingQueue, PushWaitsWhileFull) {
  BlockingQueue<int> queue(2);
  std::atomic<int> pushed = 0;
  std::jthread producer([&] {
    for (int i = 0; i < 100; ++i) {
      if (!queue.push(i)) return;
      pushed = i + 1;
    }
  });
  for (int taken = 0; taken < 100; ++taken) {
    ASSERT_LE(pushed.load(), taken + 3);  // two in the queue, one just being counted
    ASSERT_EQ(queue.pop(), taken);
  }
}

TEST(BlockingQueue, CloseEndsWaitingInPop) {
  BlockingQueue<int> queue(1);
  std::jthread consumer([&] { EXPECT_EQ(queue.pop(), std::nullopt); });
  queue.close();
}

TEST(BlockingQueue, CloseEndsWaitingInPush) {
  BlockingQueue<int> queue(1);
  ASSERT_TRUE(queue.push(1));
  std::jthread producer([&] { EXPECT_FALSE(queue.push(2)); });
  queue.close();
}

TEST(BlockingQueue, ClosedQueueGivesAndTakesNothing) {
  BlockingQueue<int> queue(2);
  ASSERT_TRUE(queue.push(1));
  queue.close();
  queue.close();
  EXPECT_EQ(queue.pop(), std::nullopt);
  EXPECT_FALSE(queue.push(2));
}

TEST(BlockingQueue, NothingIsLostOrDoubledBetweenManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kItems = 2000;
  BlockingQueue<int> queue(5);
  std::atomic<int64_t> sum = 0;
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kItems; ++i) ASSERT_TRUE(queue.push(t * kItems + i));
      });
      threads.emplace_back([&] {
        for (int i = 0; i < kItems; ++i) {
          sum += *queue.pop();
          ++taken;
        }
      });
    }
  }
  constexpr int64_t kAll = kThreads * kItems;
  EXPECT_EQ(taken, kAll);
  EXPECT_EQ(sum, kAll * (kAll - 1) / 2);
}

}  // namespace
}  // namespace tessera
