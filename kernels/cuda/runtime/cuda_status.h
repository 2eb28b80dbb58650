// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cuda_runtime.h>
#include <string>
#include <string_view>

#include "core/status.h"

namespace tessera::cuda {

// The outcome of a CUDA runtime call as a Status whose message names the call and what the runtime
// says about the error. `call` may be the whole expression: what follows the first '(' is dropped.
// An error is also cleared from the runtime, so that a later launch does not report it again.
Status to_status(cudaError_t error, std::string_view call);

// The status of an allocation of `size_bytes` that failed; `what` says of which memory.
Status allocation_status(cudaError_t error, std::string_view call, std::string_view what,
                         size_t size_bytes);

// "13.0" from the runtime's 13000.
std::string version_string(int version);

}  // namespace tessera::cuda

// Returns from the enclosing function with the status of a CUDA runtime call unless it succeeded.
#define TESSERA_CUDA_RETURN_IF_ERROR(call) \
  TESSERA_RETURN_IF_ERROR(::tessera::cuda::to_status((call), #call))
