// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "core/status.h"
#include "engine/plan/device_key.h"

namespace tessera {

// One kernel on one problem, as it was measured.
struct KernelMeasurement {
  double microseconds = 0;  // median, caches cold
  double error = 0;         // largest |error| / tolerance against float64; infinite for NaN
  [[nodiscard]] bool is_correct() const { return error <= 1.0; }
};

// Measured kernels: (device, problem, kernel) -> time and error. A file of JSON lines that is only
// ever appended to, a whole line at a time, so that several processes can fill it at once and one
// that is stopped loses nothing. The last line for a key counts.
class TimingCache {
 public:
  // An empty cache that is not on disk.
  TimingCache() = default;
  // Reads `path`; a file that is not there is an empty cache. kNotFound when it cannot be read,
  // kInvalidArgument when it is no timing cache. Lines that cannot be read are counted and skipped.
  static Result<TimingCache> load(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] size_t broken_lines() const { return broken_lines_; }

  // Null when it was not measured. `problem` is a choice_key().
  [[nodiscard]] const KernelMeasurement* find(const DeviceKey& device, const std::string& problem,
                                              const std::string& kernel) const;
  // Keeps a measurement and appends it to the file, if there is one. kNotFound or kIo names it.
  Status add(const DeviceKey& device, const std::string& problem, const std::string& kernel,
             const KernelMeasurement& measurement);

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  static Key make_key(const DeviceKey& device, const std::string& problem,
                      const std::string& kernel) {
    return {device.device, device.driver, device.libraries, problem, kernel};
  }
  bool read_line(const std::string& line);
  [[nodiscard]] Status append(const std::string& line) const;

  std::string path_;
  size_t broken_lines_ = 0;
  std::map<Key, KernelMeasurement> measurements_;
};

}  // namespace tessera
