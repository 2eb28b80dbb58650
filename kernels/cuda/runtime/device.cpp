// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <utility>

#include "kernels/cuda/runtime/architecture.h"
#include "kernels/cuda/runtime/backend.h"
#include "kernels/cuda/runtime/cuda_status.h"
#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/vendor/cublas.h"
#include "kernels/cuda/vendor/cublaslt.h"
#include "kernels/cuda/vendor/describe_cudnn.h"

namespace tessera::cuda {
namespace {

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(DeviceInfo info) : info_(std::move(info)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] bool shares_host_memory() const override { return false; }
  [[nodiscard]] bool supports_graphs() const override { return true; }

  Result<Buffer> allocate(size_t size_bytes) override {
    if (size_bytes == 0) return Buffer();
    TESSERA_RETURN_IF_ERROR(use_device(info_.ordinal));
    void* data = nullptr;
    TESSERA_RETURN_IF_ERROR(allocation_status(cudaMalloc(&data, size_bytes), "cudaMalloc",
                                              "device memory on " + info_.name, size_bytes));
    return Buffer(data, size_bytes, [](void* block) { static_cast<void>(cudaFree(block)); });
  }

  Result<Buffer> allocate_host(size_t size_bytes) override {
    if (size_bytes == 0) return Buffer();
    TESSERA_RETURN_IF_ERROR(use_device(info_.ordinal));
    void* data = nullptr;
    TESSERA_RETURN_IF_ERROR(
        allocation_status(cudaHostAlloc(&data, size_bytes, cudaHostAllocDefault), "cudaHostAlloc",
                          "pinned host memory", size_bytes));
    return Buffer(data, size_bytes, [](void* block) { static_cast<void>(cudaFreeHost(block)); });
  }

  Result<std::unique_ptr<Stream>> create_stream() override { return make_stream(info_.ordinal); }
  Result<std::unique_ptr<Event>> create_event() override { return make_event(info_.ordinal); }

 private:
  DeviceInfo info_;
};

Result<int> device_count() {
  int count = 0;
  TESSERA_CUDA_RETURN_IF_ERROR(cudaGetDeviceCount(&count));
  if (count == 0) return to_status(cudaErrorNoDevice, "cudaGetDeviceCount");
  return count;
}

Result<DeviceInfo> query(int ordinal) {
  cudaDeviceProp properties = {};
  TESSERA_CUDA_RETURN_IF_ERROR(cudaGetDeviceProperties(&properties, ordinal));
  int driver = 0;
  int runtime = 0;
  TESSERA_CUDA_RETURN_IF_ERROR(cudaDriverGetVersion(&driver));
  TESSERA_CUDA_RETURN_IF_ERROR(cudaRuntimeGetVersion(&runtime));
  DeviceInfo info;
  info.backend = "cuda";
  info.name = properties.name;
  info.ordinal = ordinal;
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.max_threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  info.registers_per_multiprocessor = properties.regsPerMultiprocessor;
  info.shared_bytes_per_multiprocessor = properties.sharedMemPerMultiprocessor;
  info.shared_bytes_per_block_optin = properties.sharedMemPerBlockOptin;
  info.last_level_cache_bytes = static_cast<size_t>(properties.l2CacheSize);
  info.memory_bytes = properties.totalGlobalMem;
  info.memory_bus_bits = properties.memoryBusWidth;
  TESSERA_CUDA_RETURN_IF_ERROR(
      cudaDeviceGetAttribute(&info.clock_khz, cudaDevAttrClockRate, ordinal));
  TESSERA_CUDA_RETURN_IF_ERROR(
      cudaDeviceGetAttribute(&info.memory_clock_khz, cudaDevAttrMemoryClockRate, ordinal));
  info.driver_version = version_string(driver);
  info.runtime_version = version_string(runtime);
  return info;
}

}  // namespace

Result<std::vector<DeviceInfo>> devices() {
  TESSERA_ASSIGN_OR_RETURN(const int count, device_count());
  std::vector<DeviceInfo> found;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    TESSERA_ASSIGN_OR_RETURN(DeviceInfo info, query(ordinal));
    found.push_back(std::move(info));
  }
  return found;
}

Result<std::unique_ptr<Device>> open(int ordinal) {
  TESSERA_ASSIGN_OR_RETURN(const int count, device_count());
  if (ordinal < 0 || ordinal >= count) {
    return unavailable("there is no CUDA device " + std::to_string(ordinal) +
                       ": this machine has devices 0 to " + std::to_string(count - 1));
  }
  TESSERA_ASSIGN_OR_RETURN(DeviceInfo info, query(ordinal));
  TESSERA_RETURN_IF_ERROR(use_device(ordinal));
  TESSERA_RETURN_IF_ERROR(check_architecture(info));
  return std::unique_ptr<Device>(std::make_unique<CudaDevice>(std::move(info)));
}

std::vector<std::string> describe_libraries() {
  std::vector<std::string> lines = {"CUDA runtime " + version_string(CUDART_VERSION) +
                                    " (linked statically)"};
  int driver = 0;
  const Status status = to_status(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  if (status.ok() && driver > 0) {
    lines.push_back("CUDA driver: supports CUDA " + version_string(driver));
  } else {
    lines.push_back("CUDA driver: not found; install an NVIDIA driver");
  }
  lines.push_back(describe_cublas());
  lines.push_back(describe_cublaslt());
  lines.push_back(describe_cudnn());
  return lines;
}

}  // namespace tessera::cuda
