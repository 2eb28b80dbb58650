// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/device.h"

namespace tessera::cli {

// "cuda:0 NVIDIA H200", "cpu AMD EPYC 7B13 (8 threads)"
std::string describe_device(const DeviceInfo& info);

}  // namespace tessera::cli
