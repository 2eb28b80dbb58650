// SPDX-License-Identifier: Apache-2.0
#include "kernels/backend.h"

#include <array>
#include <fstream>

#include "core/host_cache.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/parallel.h"
#include "kernels/reference/kernels.h"

namespace tessera::cpu {
namespace {

std::span<const KernelEntry* const> kernels() {
  static constexpr std::array kEntries = {
#define TESSERA_KERNEL(entry) &entry,
#define TESSERA_REFERENCE_KERNEL(entry) &reference::entry,
#include "kernels/cpu/kernels.inc"
#undef TESSERA_REFERENCE_KERNEL
#undef TESSERA_KERNEL
  };
  return kEntries;
}

// "AMD EPYC 7763 64-Core Processor" as Linux tells it, "CPU" elsewhere.
std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "CPU";
}

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

DeviceInfo device_info() {
  DeviceInfo info;
  info.backend = "cpu";
  info.name = processor_name();
  info.threads = thread_count();
  info.last_level_cache_bytes = host_last_level_cache_bytes();
  info.runtime_version = onednn_version();
  return info;
}

Result<std::vector<DeviceInfo>> devices() { return std::vector<DeviceInfo>{device_info()}; }

Result<std::unique_ptr<Device>> open(int ordinal) {
  if (ordinal != 0) {
    return unavailable("the cpu backend has one device, number 0; asked for number " +
                       std::to_string(ordinal));
  }
  return make_host_device(device_info());
}

std::vector<std::string> describe_libraries() { return {onednn_version()}; }

}  // namespace

const Backend& backend() {
  static const Backend kBackend = {"cpu", kernels, devices, open, describe_libraries};
  return kBackend;
}

}  // namespace tessera::cpu
