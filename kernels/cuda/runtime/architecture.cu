// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/architecture.h"
#include "kernels/cuda/runtime/cuda_status.h"

namespace tessera::cuda {
namespace {

// Compiled with the flags of every other kernel, so it is there exactly when they are.
__global__ void probe_kernel() {}

}  // namespace

Status check_architecture(const DeviceInfo& info) {
  cudaFuncAttributes attributes = {};
  const cudaError_t error = cudaFuncGetAttributes(&attributes, probe_kernel);
  if (error != cudaErrorNoKernelImageForDevice && error != cudaErrorInvalidDeviceFunction) {
    return to_status(error, "cudaFuncGetAttributes");
  }
  static_cast<void>(cudaGetLastError());
  const std::string architecture =
      std::to_string(info.compute_major) + std::to_string(info.compute_minor);
  return unsupported("this program holds no machine code for " + info.name + " (sm_" +
                     architecture + "); build it with -DCMAKE_CUDA_ARCHITECTURES=" + architecture);
}

}  // namespace tessera::cuda
