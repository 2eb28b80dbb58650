// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/device.h"
#include "core/status.h"
#include "kernels/kernel.h"
#include "kernels/launch_resources.h"

namespace tessera {

// A family of devices with its list of kernels. Backends are compiled in or not; which are is the
// one generated list kernels/backends.inc.
struct Backend {
  std::string_view name;  // "reference", "cpu", "cuda"
  // Best first; selection takes the first that supports the problem.
  std::span<const KernelEntry* const> (*kernels)();
  // The devices present. kUnavailable says what is missing and what to install.
  Result<std::vector<DeviceInfo>> (*devices)();
  // Requires: 0 <= ordinal; kUnavailable when there is no such device.
  Result<std::unique_ptr<Device>> (*open)(int ordinal);
  // One line for each library the backend uses: name, version or why it was not found.
  std::vector<std::string> (*describe_libraries)();
  // Calls `launches` and says what each device kernel takes that it launched from this thread, in
  // order. Kernels inside vendor libraries are not seen. Null where there are no such kernels.
  Result<std::vector<LaunchResources>> (*trace_launches)(
      const DeviceInfo& device, const std::function<Status()>& launches) = nullptr;
};

// Compiled-in backends, most capable first: cuda, cpu, reference. reference is always there.
std::span<const Backend* const> backends();

// Null when no such backend was compiled in.
const Backend* find_backend(std::string_view name);

}  // namespace tessera
