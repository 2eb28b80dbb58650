// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kernels/backend.h"

namespace tessera {

// What measured times hold for: on anything else they are worth nothing.
struct DeviceKey {
  std::string device;     // "cuda NVIDIA H200", "cpu AMD EPYC 7763 (8 threads)"
  std::string driver;     // "13.0", empty where there is none
  std::string libraries;  // "oneDNN 2.6.3", several joined with "; "

  bool operator==(const DeviceKey&) const = default;
};

// Asks the libraries for their versions, which loads those that are opened at run time.
DeviceKey make_device_key(const Backend& backend, const DeviceInfo& info);

}  // namespace tessera
