// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/runtime/launch_log.h"

#include <cuda_runtime.h>

#include "core/check.h"
#include "kernels/cuda/runtime/cuda_status.h"
#include "kernels/cuda/runtime/cuda_stream.h"

namespace tessera::cuda {
namespace {

thread_local LaunchLog* current_log = nullptr;

Result<LaunchResources> resources_of(const LaunchRecord& record, const DeviceInfo& device) {
  cudaFuncAttributes attributes = {};
  TESSERA_CUDA_RETURN_IF_ERROR(cudaFuncGetAttributes(&attributes, record.kernel));
  LaunchResources resources;
  TESSERA_CUDA_RETURN_IF_ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &resources.blocks_per_multiprocessor, record.kernel, record.threads,
      record.dynamic_shared_bytes));
  resources.blocks = record.blocks;
  resources.threads_per_block = record.threads;
  resources.registers_per_thread = attributes.numRegs;
  resources.shared_bytes_per_block = attributes.sharedSizeBytes + record.dynamic_shared_bytes;
  resources.local_bytes_per_thread = attributes.localSizeBytes;
  resources.occupancy = static_cast<double>(resources.blocks_per_multiprocessor) * record.threads /
                        device.max_threads_per_multiprocessor;
  return resources;
}

}  // namespace

LaunchLog::LaunchLog() {
  TESSERA_CHECK(current_log == nullptr);
  current_log = this;
}

LaunchLog::~LaunchLog() { current_log = nullptr; }

void LaunchLog::record(const LaunchRecord& record) {
  if (current_log != nullptr) current_log->records_.push_back(record);
}

Result<std::vector<LaunchResources>> trace_launches(const DeviceInfo& device,
                                                    const std::function<Status()>& launches) {
  const LaunchLog log;
  TESSERA_RETURN_IF_ERROR(launches());
  TESSERA_RETURN_IF_ERROR(use_device(device.ordinal));
  std::vector<LaunchResources> all;
  for (const LaunchRecord& record : log.records()) {
    TESSERA_ASSIGN_OR_RETURN(const LaunchResources resources, resources_of(record, device));
    all.push_back(resources);
  }
  return all;
}

}  // namespace tessera::cuda
