// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera::cuda {

// "cuDNN 9.19.0", or why it was not found. Without any header of cuDNN, since a build without them
// answers too.
std::string describe_cudnn();

}  // namespace tessera::cuda
