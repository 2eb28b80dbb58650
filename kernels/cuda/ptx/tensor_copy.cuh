// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>
#include <cuda_runtime.h>

#include "kernels/cuda/ptx/mbarrier.cuh"

// Copies of boxes of a matrix from global to shared memory by the copy engine: one thread begins
// them, addresses and edges are the engine's work, and what lies outside the matrix becomes zero.
// PTX ISA, "Data Movement and Conversion Instructions: cp.async.bulk.tensor", compute capability
// 9.0. The tensor map (gemm/tensor_map.h) says what the matrix and the box are.

namespace tessera::cuda {

__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];\n" ::"l"(&map) : "memory");
}

// Begins to copy the box whose first element is at (row, column); its bytes arrive at `full`.
__device__ __forceinline__ void copy_box(const CUtensorMap& map, int row, int column, void* s_dst,
                                         const MBarrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];\n" ::"r"(shared_address(s_dst)),
      "l"(&map), "r"(full.address()), "r"(column), "r"(row)
      : "memory");
}

// The same to every block of the cluster whose bit in `blocks` is set, at this place in its shared
// memory and with its own barrier at the place of `full`.
__device__ __forceinline__ void copy_box_to_blocks(const CUtensorMap& map, int row, int column,
                                                   void* s_dst, const MBarrier& full,
                                                   uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;\n" ::"r"(shared_address(s_dst)),
      "l"(&map), "r"(full.address()), "r"(column), "r"(row), "h"(blocks)
      : "memory");
}

}  // namespace tessera::cuda
