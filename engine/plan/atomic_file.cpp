// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace tessera {
namespace {

Status write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error(std::strerror(errno));
    content.remove_prefix(static_cast<size_t>(count));
  }
  // A rename may reach the disk before the bytes do.
  if (::fsync(descriptor) != 0) return io_error(std::strerror(errno));
  return {};
}

}  // namespace

Status write_file_atomically(const std::string& path, std::string_view content) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    return invalid_argument(path + ": is no regular file, so it cannot be replaced");
  }
  const std::string beside = path + ".part-" + std::to_string(::getpid());
  constexpr mode_t kMode = 0666;
  const int descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (descriptor < 0) {
    return not_found(path + ": cannot be created: " + std::strerror(errno));
  }
  Status written = write_all(descriptor, content);
  if (::close(descriptor) != 0 && written.ok()) written = io_error(std::strerror(errno));
  if (written.ok() && ::rename(beside.c_str(), path.c_str()) != 0) {
    written = io_error(std::strerror(errno));
  }
  if (!written.ok()) ::unlink(beside.c_str());
  return written.with_context(path + ": cannot be written");
}

}  // namespace tessera
