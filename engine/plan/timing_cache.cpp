// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/timing_cache.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "engine/image/file_bytes.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFirstLine = R"({"timing_cache_format":1})";

}  // namespace

Result<TimingCache> TimingCache::load(const std::string& path) {
  TimingCache cache;
  cache.path_ = path;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return cache;
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, read_file_bytes(path));
  if (bytes.empty()) return cache;
  std::istringstream text(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::string line;
  std::getline(text, line);
  if (line != kFirstLine) {
    return invalid_argument(path + ": not a timing cache: its first line is not " +
                            std::string(kFirstLine) + "; name another file, or remove it");
  }
  while (std::getline(text, line)) {
    // Processes that created the file together each began it.
    if (line.empty() || line == kFirstLine) continue;
    if (!cache.read_line(line)) ++cache.broken_lines_;
  }
  return cache;
}

bool TimingCache::read_line(const std::string& line) {
  try {
    const Json row = Json::parse(line);
    const DeviceKey device = {row.at("device").get<std::string>(),
                              row.at("driver").get<std::string>(),
                              row.at("libraries").get<std::string>()};
    KernelMeasurement measurement;
    measurement.microseconds = row.at("microseconds").get<double>();
    measurement.error = row.at("error").is_null() ? std::numeric_limits<double>::infinity()
                                                  : row.at("error").get<double>();
    if (!(measurement.microseconds > 0)) return false;
    measurements_[make_key(device, row.at("problem").get<std::string>(),
                           row.at("kernel").get<std::string>())] = measurement;
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

const KernelMeasurement* TimingCache::find(const DeviceKey& device, const std::string& problem,
                                           const std::string& kernel) const {
  const auto found = measurements_.find(make_key(device, problem, kernel));
  return found == measurements_.end() ? nullptr : &found->second;
}

Status TimingCache::add(const DeviceKey& device, const std::string& problem,
                        const std::string& kernel, const KernelMeasurement& measurement) {
  measurements_[make_key(device, problem, kernel)] = measurement;
  if (path_.empty()) return {};
  const bool is_finite = std::isfinite(measurement.error);
  const Json row = {{"device", device.device},
                    {"driver", device.driver},
                    {"libraries", device.libraries},
                    {"problem", problem},
                    {"kernel", kernel},
                    {"microseconds", measurement.microseconds},
                    {"error", is_finite ? Json(measurement.error) : Json(nullptr)}};
  return append(row.dump(-1, ' ', false, Json::error_handler_t::replace)).with_context(path_);
}

Status TimingCache::append(const std::string& line) const {
  constexpr mode_t kMode = 0666;
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (descriptor < 0) {
    return not_found(std::string("cannot be created or written: ") + std::strerror(errno));
  }
  // One write, so that lines of several processes do not mix. It closes a line that a process which
  // was stopped has left open.
  std::string bytes = line + '\n';
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  char last = '\n';
  if (size == 0) {
    bytes = std::string(kFirstLine) + '\n' + bytes;
  } else if (::pread(descriptor, &last, 1, size - 1) == 1 && last != '\n') {
    bytes = '\n' + bytes;
  }
  const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
  const std::string reason = count < 0 ? std::strerror(errno) : "no space left";
  const bool complete = ::close(descriptor) == 0 && count == static_cast<ssize_t>(bytes.size());
  return complete ? Status() : io_error("cannot be written: " + reason);
}

}  // namespace tessera
