// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"

namespace tessera {

// The whole content of a regular file. kNotFound with the path and the system's reason.
Result<std::vector<std::byte>> read_file_bytes(const std::string& path);

// Bytes that can be read at any place, from several threads at once.
class RandomAccessBytes {
 public:
  virtual ~RandomAccessBytes() = default;
  [[nodiscard]] virtual int64_t size() const = 0;
  // Fills `out` from byte `offset` on; kIo, without the file's name, when there are not so many.
  virtual Status read(int64_t offset, std::span<std::byte> out) const = 0;
};

// A regular file, kept open and read piece by piece: memory does not grow with its size. kNotFound
// with the path and the system's reason.
Result<std::unique_ptr<RandomAccessBytes>> open_file_bytes(const std::string& path);

// Bytes already in memory.
std::unique_ptr<RandomAccessBytes> wrap_bytes(std::vector<std::byte> bytes);

}  // namespace tessera
