// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/check.h"

namespace tessera {

// A first-in first-out queue of limited length between threads. All memory is taken by the
// constructor, so that push and pop cannot fail for lack of it. close() ends all waiting, at once
// and for ever: nobody can be left waiting for a thread that has given up.
template <typename T>
class BlockingQueue {
 public:
  // Requires: capacity > 0.
  explicit BlockingQueue(size_t capacity) : ring_(capacity) { TESSERA_CHECK(capacity > 0); }

  // Waits while the queue is full. False, and the item is dropped, once the queue is closed.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return closed_ || count_ < ring_.size(); });
    if (closed_) return false;
    ring_[(first_ + count_) % ring_.size()] = std::move(item);
    ++count_;
    lock.unlock();
    not_empty_.notify_one();
    return true;
  }

  // Waits while the queue is empty. Nothing once the queue is closed; items still in it are lost.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return closed_ || count_ > 0; });
    if (closed_) return std::nullopt;
    T item = std::move(ring_[first_]);
    first_ = (first_ + 1) % ring_.size();
    --count_;
    lock.unlock();
    not_full_.notify_one();
    return item;
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    not_full_.notify_all();
    not_empty_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::vector<T> ring_;
  size_t first_ = 0;
  size_t count_ = 0;
  bool closed_ = false;
};

}  // namespace tessera
