// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device.h"
#include "core/status.h"

namespace tessera::cuda {

// kUnsupported when this program holds no machine code for the current device, whose facts are
// `info`. Found out here, once, rather than at the first launch.
Status check_architecture(const DeviceInfo& info);

}  // namespace tessera::cuda
