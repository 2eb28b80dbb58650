// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/cuda_status.h"

namespace tessera::cuda {
namespace {

std::string mebibytes(size_t bytes) {
  constexpr size_t kMebibyte = size_t{1} << 20;
  return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + " MiB";
}

std::string describe(cudaError_t error, std::string_view call) {
  return std::string(call.substr(0, call.find('('))) + " failed: " + cudaGetErrorString(error) +
         " (" + cudaGetErrorName(error) + ")";
}

Status no_driver_status() {
  int driver = 0;
  const bool installed = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
  const std::string needed = version_string(CUDART_VERSION);
  if (!installed) {
    return unavailable(
        "no CUDA driver: libcuda.so.1 was not found; install an NVIDIA driver that supports CUDA " +
        needed + " or choose another backend");
  }
  return unavailable("the NVIDIA driver supports CUDA " + version_string(driver) +
                     ", but this program was built with CUDA " + needed +
                     "; install a newer driver or build with an older toolkit");
}

}  // namespace

std::string version_string(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Status to_status(cudaError_t error, std::string_view call) {
  if (error == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  switch (error) {
    case cudaErrorInsufficientDriver:
      return no_driver_status();
    case cudaErrorNoDevice:
      return unavailable(
          "no CUDA device: the driver is installed but sees no GPU; check that nvidia-smi lists "
          "one, that CUDA_VISIBLE_DEVICES does not hide it and that a container was started with "
          "access to it");
    case cudaErrorStubLibrary:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorSystemNotReady:
    case cudaErrorDevicesUnavailable:
    case cudaErrorInitializationError:
      return unavailable("the CUDA driver cannot be used: " + describe(error, call));
    case cudaErrorNoKernelImageForDevice:
      return unsupported(describe(error, call) +
                         "; build with CMAKE_CUDA_ARCHITECTURES set for this GPU");
    case cudaErrorMemoryAllocation:
      return out_of_memory(describe(error, call));
    default:
      return internal_error(describe(error, call));
  }
}

Status allocation_status(cudaError_t error, std::string_view call, std::string_view what,
                         size_t size_bytes) {
  if (error != cudaErrorMemoryAllocation) return to_status(error, call);
  static_cast<void>(cudaGetLastError());
  std::string message = "cannot allocate " + mebibytes(size_bytes) + " (" +
                        std::to_string(size_bytes) + " bytes) of " + std::string(what);
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess) {
    message += ": the device has " + mebibytes(free_bytes) + " free of " + mebibytes(total_bytes);
  }
  return out_of_memory(message + "; use a smaller batch or end other programs on the device");
}

}  // namespace tessera::cuda
