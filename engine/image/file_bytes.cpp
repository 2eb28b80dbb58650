// SPDX-License-Identifier: Apache-2.0
#include "engine/image/file_bytes.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tessera {
namespace {

std::string system_reason() { return std::generic_category().message(errno); }

class FileBytes final : public RandomAccessBytes {
 public:
  explicit FileBytes(int descriptor) : descriptor_(descriptor) {}
  ~FileBytes() override { ::close(descriptor_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  Status measure() {
    struct stat facts = {};
    if (::fstat(descriptor_, &facts) != 0) return not_found(system_reason());
    if (!S_ISREG(facts.st_mode)) return not_found("not a regular file");
    size_ = facts.st_size;
    return {};
  }

  [[nodiscard]] int64_t size() const override { return size_; }

  Status read(int64_t offset, std::span<std::byte> out) const override {
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = ::pread(descriptor_, out.data() + done, out.size() - done,
                                  static_cast<off_t>(offset + static_cast<int64_t>(done)));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return io_error("reading failed: " + system_reason());
      if (got == 0) return io_error("the file ends early; was it changed meanwhile?");
      done += static_cast<size_t>(got);
    }
    return {};
  }

 private:
  int descriptor_;
  int64_t size_ = 0;
};

class MemoryBytes final : public RandomAccessBytes {
 public:
  explicit MemoryBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
  Status read(int64_t offset, std::span<std::byte> out) const override {
    if (offset < 0 || offset > size() || static_cast<int64_t>(out.size()) > size() - offset) {
      return io_error("reading past the end of the data");
    }
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
    return {};
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

Result<std::unique_ptr<RandomAccessBytes>> open_file_bytes(const std::string& path) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer; it is refused below.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return not_found(system_reason()).with_context(path);
  auto file = std::make_unique<FileBytes>(descriptor);
  if (Status status = file->measure(); !status.ok()) return status.with_context(path);
  return std::unique_ptr<RandomAccessBytes>(std::move(file));
}

std::unique_ptr<RandomAccessBytes> wrap_bytes(std::vector<std::byte> bytes) {
  return std::make_unique<MemoryBytes>(std::move(bytes));
}

Result<std::vector<std::byte>> read_file_bytes(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessBytes> file, open_file_bytes(path));
  try {
    std::vector<std::byte> bytes(static_cast<size_t>(file->size()));
    if (Status status = file->read(0, bytes); !status.ok()) return status.with_context(path);
    return bytes;
  } catch (const std::exception&) {
    return out_of_memory("not enough memory for its " + std::to_string(file->size()) + " bytes")
        .with_context(path);
  }
}

}  // namespace tessera
