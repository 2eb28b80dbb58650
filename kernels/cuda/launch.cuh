// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <string>
#include <type_traits>

#include "core/device.h"
#include "core/math.h"
#include "core/status.h"
#include "kernels/cuda/runtime/cuda_status.h"
#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/runtime/launch_log.h"

namespace tessera::cuda {

// Grids are one-dimensional: y and z end at 65535, x at this.
constexpr int64_t kMaxGridBlocks = 0x7fffffff;
// A block gets more shared memory than this only when the kernel asks for it.
constexpr size_t kDefaultSharedBytes = size_t{48} << 10;

constexpr int kElementwiseThreads = 256;

// Blocks for a grid-stride loop over `count` elements with kElementwiseThreads threads: one thread
// an element up to a limit that fills any GPU many times over.
inline int64_t elementwise_blocks(int64_t count) {
  constexpr int64_t kEnough = int64_t{1} << 20;
  return std::min(ceil_div<int64_t>(count, kElementwiseThreads), kEnough);
}

// The one place where a kernel is launched: `blocks` blocks of `threads` threads with
// `shared_bytes` bytes of dynamic shared memory on `stream`. Zero blocks are nothing to do.
// Errors of the launch are returned; errors of the kernel's run appear at Stream::synchronize.
template <typename... Parameters>
Status launch(void (*kernel)(Parameters...), int64_t blocks, dim3 threads, size_t shared_bytes,
              Stream& stream, std::type_identity_t<Parameters>... arguments) {
  if (blocks == 0) return {};
  if (blocks > kMaxGridBlocks) {
    return unsupported("a launch of " + std::to_string(blocks) + " blocks is over the limit of " +
                       std::to_string(kMaxGridBlocks) + "; use a smaller batch");
  }
  TESSERA_ASSIGN_OR_RETURN(const cudaStream_t handle, activate(stream));
  if (shared_bytes > kDefaultSharedBytes) {
    TESSERA_CUDA_RETURN_IF_ERROR(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = handle;
  TESSERA_CUDA_RETURN_IF_ERROR(cudaLaunchKernelEx(&config, kernel, arguments...));
  LaunchLog::record({reinterpret_cast<const void*>(kernel), blocks,
                     static_cast<int>(threads.x * threads.y * threads.z), shared_bytes});
  return {};
}

// Index of this thread in the grid and number of threads of the grid, for grid-stride loops.
__device__ __forceinline__ int64_t grid_thread() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ int64_t grid_threads() {
  return static_cast<int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace tessera::cuda
