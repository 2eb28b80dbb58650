// SPDX-License-Identifier: Apache-2.0
#include "kernels/backend.h"

#include <array>

#include "core/host_cache.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

std::span<const KernelEntry* const> kernels() {
  static constexpr std::array kEntries = {
#define TESSERA_KERNEL(entry) &entry,
#include "kernels/reference/kernels.inc"
#undef TESSERA_KERNEL
  };
  return kEntries;
}

DeviceInfo device_info() {
  DeviceInfo info;
  info.backend = "reference";
  info.name = "host, scalar float64 arithmetic";
  info.threads = 1;
  info.last_level_cache_bytes = host_last_level_cache_bytes();
  return info;
}

Result<std::vector<DeviceInfo>> devices() { return std::vector<DeviceInfo>{device_info()}; }

Result<std::unique_ptr<Device>> open(int ordinal) {
  if (ordinal != 0) {
    return unavailable("the reference backend has one device, number 0; asked for number " +
                       std::to_string(ordinal));
  }
  return make_host_device(device_info());
}

std::vector<std::string> describe_libraries() { return {}; }

}  // namespace

const Backend& backend() {
  static const Backend kBackend = {"reference", kernels, devices, open, describe_libraries};
  return kBackend;
}

}  // namespace tessera::reference
