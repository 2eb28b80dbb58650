// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "core/status.h"

namespace tessera {

// Owns a block of memory of any kind (host, pinned host, device) through the function that frees
// it. Move-only. Not thread-safe.
class Buffer {
 public:
  using Deleter = std::function<void(void*)>;

  Buffer() = default;
  // Takes ownership of `data`; `deleter` is called with it exactly once.
  Buffer(void* data, size_t size_bytes, Deleter deleter)
      : data_(data), size_bytes_(size_bytes), deleter_(std::move(deleter)) {}
  ~Buffer() { release(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] size_t size_bytes() const { return size_bytes_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(deleter_, other.deleter_);
  }
  void release() noexcept {
    if (data_ != nullptr && deleter_) deleter_(data_);
    data_ = nullptr;
  }

  void* data_ = nullptr;
  size_t size_bytes_ = 0;
  Deleter deleter_;
};

// Host memory aligned to 256 bytes as Device::allocate promises, uninitialised. A size of zero
// gives an empty buffer with a null pointer. Fails with kOutOfMemory.
Result<Buffer> allocate_host_buffer(size_t size_bytes);

}  // namespace tessera
