// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "core/device.h"
#include "core/status.h"

namespace tessera::testing {

// Device memory of exactly the size asked for between two guards of 1 KiB. The guards hold a
// pattern that is NaN in float16, float32 and bfloat16, so that a kernel that reads past the end
// spoils its result, and that check_guards finds changed when a kernel writes there.
class GuardedBuffer {
 public:
  static Result<GuardedBuffer> create(Device& device, Stream& stream, size_t size_bytes);

  [[nodiscard]] void* data() const;
  Status write(std::span<const std::byte> content, Stream& stream);
  // Every byte 0xff: NaN in each floating-point type, -1 or the largest value in integers.
  Status poison(Stream& stream);
  // The content, after all work of `stream` is done.
  Result<std::vector<std::byte>> read(Stream& stream) const;
  // Nothing when the guards are as they were, otherwise where they changed.
  Result<std::optional<std::string>> check_guards(Stream& stream) const;

 private:
  GuardedBuffer(Buffer buffer, size_t size_bytes)
      : buffer_(std::move(buffer)), size_bytes_(size_bytes) {}

  Buffer buffer_;
  size_t size_bytes_ = 0;
};

}  // namespace tessera::testing
