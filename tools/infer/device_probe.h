// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/status.h"
#include "kernels/backend.h"

namespace tessera::cli {

// Copy rates of a device with memory of its own, in bytes per second (10^9 is one GB/s).
struct CopyRates {
  double pinned_to_device = 0;
  double pinned_to_host = 0;
  double pageable_to_device = 0;
  double pageable_to_host = 0;
};

// Microseconds for a kernel that does next to nothing (one element).
struct LaunchTimes {
  double launch_us = 0;            // one of many in a row: the launch floor
  double launch_and_wait_us = 0;   // with waiting for it: the latency floor, median
  std::optional<double> graph_us;  // likewise as a graph; nothing on a device without graphs
  std::optional<double> graph_and_wait_us;
};

struct DeviceProbe {
  std::optional<CopyRates> copies;  // nothing when the device shares the host's memory
  LaunchTimes launches;
};

// Measures one device through the interfaces that the engine uses. Takes about a second and half a
// GiB of device memory at most.
Result<DeviceProbe> probe_device(const Backend& backend, int ordinal);

}  // namespace tessera::cli
