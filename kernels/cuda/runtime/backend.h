// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/device.h"
#include "core/status.h"

namespace tessera::cuda {

// The functions of the Backend "cuda"; kernels/backend.h says what each does.
Result<std::vector<DeviceInfo>> devices();
Result<std::unique_ptr<Device>> open(int ordinal);
std::vector<std::string> describe_libraries();

}  // namespace tessera::cuda
