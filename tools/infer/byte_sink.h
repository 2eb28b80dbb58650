// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/status.h"

namespace tessera::cli {

// A file or stdout that remembers how many bytes really reached it, so that a writer can put the
// file in order after a full disk. Not thread-safe.
class ByteSink {
 public:
  // Opens or creates `path`; what it holds is dropped when the first bytes are written, so that a
  // run that comes to nothing costs nobody a file. kNotFound when that is not possible.
  static Result<ByteSink> create(const std::string& path);
  static ByteSink standard_output();

  ~ByteSink();
  ByteSink(ByteSink&& other) noexcept;
  ByteSink& operator=(ByteSink&&) = delete;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  // Keeps the bytes for the next flush.
  void append(std::string_view bytes) { pending_ += bytes; }
  // kIo names the file and the system's reason; what was pending is dropped then.
  Status flush();
  // Bytes that reached the file so far.
  [[nodiscard]] size_t written() const { return written_; }
  // True when written bytes can be taken back: a regular file.
  [[nodiscard]] bool can_truncate() const;
  // Drops everything behind the first `size` bytes. Requires: can_truncate().
  Status truncate(size_t size);
  // Replaces bytes at `offset`, which have been written before. Requires: can_truncate().
  Status overwrite(size_t offset, std::string_view bytes);
  // Closes the file; a late error of the file system shows here.
  Status close();

 private:
  ByteSink(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  [[nodiscard]] Status failure(const char* action) const;
  Status drop_old_bytes();

  int descriptor_ = -1;
  std::string name_;
  std::string pending_;
  size_t written_ = 0;
  bool holds_old_bytes_ = false;
};

}  // namespace tessera::cli
