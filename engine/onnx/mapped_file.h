// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/status.h"

namespace tessera {

// The bytes of a regular file, mapped read-only, until the last owner is gone. (Whoever truncates
// the file in the meantime kills the process with SIGBUS: that is how mapping works.)
class MappedFile {
 public:
  // kNotFound when there is no such file or it must not be read, kInvalidArgument for a folder or
  // a device, kIo. The message does not name the file.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace tessera
