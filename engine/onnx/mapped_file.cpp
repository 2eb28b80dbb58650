// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tessera {
namespace {

// Closes a file descriptor at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string reason(int error) { return std::generic_category().message(error); }

Status open_error(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return not_found("no such file");
    case EACCES:
    case EPERM:
      return not_found("no permission to read the file");
    default:
      return not_found("cannot be opened: " + reason(error));
  }
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  // O_NONBLOCK: opening a named pipe must not wait for somebody to write to it.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return open_error(errno);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return io_error("cannot be examined: " + reason(errno));
  if (S_ISDIR(info.st_mode)) return invalid_argument("is a folder, not a file");
  if (!S_ISREG(info.st_mode)) return invalid_argument("is a device or pipe, not a regular file");

  std::span<const std::byte> bytes;
  if (info.st_size > 0) {  // mmap refuses a size of zero
    const auto size = static_cast<size_t>(info.st_size);
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data == MAP_FAILED) return io_error("cannot be mapped: " + reason(errno));
    bytes = {static_cast<const std::byte*>(data), size};
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(bytes));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace tessera
