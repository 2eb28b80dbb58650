// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/byte_sink.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tessera::cli {

Result<ByteSink> ByteSink::create(const std::string& path) {
  constexpr mode_t kMode = 0666;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode);
  if (descriptor < 0) {
    return not_found(fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
  }
  ByteSink sink(descriptor, path);
  sink.holds_old_bytes_ = sink.can_truncate();
  return sink;
}

ByteSink ByteSink::standard_output() { return {STDOUT_FILENO, "standard output"}; }

ByteSink::ByteSink(ByteSink&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      pending_(std::move(other.pending_)),
      written_(other.written_),
      holds_old_bytes_(other.holds_old_bytes_) {}

ByteSink::~ByteSink() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

Status ByteSink::drop_old_bytes() {
  if (!std::exchange(holds_old_bytes_, false)) return {};
  return truncate(0);
}

Status ByteSink::flush() {
  const std::string bytes = std::exchange(pending_, {});
  if (!bytes.empty()) TESSERA_RETURN_IF_ERROR(drop_old_bytes());
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("cannot be written");
    done += static_cast<size_t>(count);
    written_ += static_cast<size_t>(count);
  }
  return {};
}

bool ByteSink::can_truncate() const {
  struct stat info = {};
  return ::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode);
}

Status ByteSink::truncate(size_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 ||
      ::lseek(descriptor_, static_cast<off_t>(size), SEEK_SET) < 0) {
    return failure("cannot be shortened");
  }
  written_ = size;
  return {};
}

Status ByteSink::overwrite(size_t offset, std::string_view bytes) {
  const ssize_t count =
      ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (count != static_cast<ssize_t>(bytes.size())) return failure("cannot be written");
  return {};
}

Status ByteSink::close() {
  TESSERA_RETURN_IF_ERROR(flush());
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor > STDERR_FILENO && ::close(descriptor) != 0) return failure("cannot be closed");
  return {};
}

Status ByteSink::failure(const char* action) const {
  return io_error(fmt::format("{}: {}: {}", name_, action, std::strerror(errno)));
}

}  // namespace tessera::cli
