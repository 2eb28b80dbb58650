// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/device_key.h"

namespace tessera {

DeviceKey make_device_key(const Backend& backend, const DeviceInfo& info) {
  DeviceKey key;
  key.device = info.backend + " " + info.name;
  if (info.threads > 0) key.device += " (" + std::to_string(info.threads) + " threads)";
  key.driver = info.driver_version;
  for (const std::string& library : backend.describe_libraries()) {
    key.libraries += (key.libraries.empty() ? "" : "; ") + library;
  }
  return key;
}

}  // namespace tessera
