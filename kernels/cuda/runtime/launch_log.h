// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/device.h"
#include "core/status.h"
#include "kernels/launch_resources.h"

namespace tessera::cuda {

struct LaunchRecord {
  const void* kernel = nullptr;  // the __global__ function
  int64_t blocks = 0;
  int threads = 0;  // per block
  size_t dynamic_shared_bytes = 0;
};

// While it lives, the launches of the thread that made it are recorded, those captured into a graph
// too. Logs of one thread do not nest.
class LaunchLog {
 public:
  LaunchLog();
  ~LaunchLog();
  LaunchLog(const LaunchLog&) = delete;
  LaunchLog& operator=(const LaunchLog&) = delete;

  [[nodiscard]] const std::vector<LaunchRecord>& records() const { return records_; }

  // Called by launch() in kernels/cuda/launch.cuh; nothing when this thread has no log.
  static void record(const LaunchRecord& record);

 private:
  std::vector<LaunchRecord> records_;
};

// Backend::trace_launches; kernels/backend.h says what it does.
Result<std::vector<LaunchResources>> trace_launches(const DeviceInfo& device,
                                                    const std::function<Status()>& launches);

}  // namespace tessera::cuda
