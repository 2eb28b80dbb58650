// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

// Copies from global to shared memory that need no registers and do not hold up the thread: PTX
// ISA, "Data Movement and Conversion Instructions: cp.async", from compute capability 8.0 on. The
// copies of a thread form groups; only after cp_async_wait can that thread, and after a barrier
// behind it every thread of the block, read what has been copied. Code for older devices compiles,
// so that a build may have several architectures, but a kernel that uses these must refuse to run
// there.

namespace tessera::cuda {

// Begins to copy kBytes bytes from g_src to s_dst, both aligned to kBytes. 16 bytes go past L1,
// since a block reads them once.
template <int kBytes>
__device__ __forceinline__ void cp_async(void* s_dst, const void* g_src) {
  static_assert(kBytes == 4 || kBytes == 16, "one word or four");
#if __CUDA_ARCH__ >= 800
  const auto dst = static_cast<uint32_t>(__cvta_generic_to_shared(s_dst));
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(g_src) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(dst), "l"(g_src) : "memory");
  }
#else
  __trap();
#endif
}

// Begins to copy bytes_read <= kBytes bytes from g_src to s_dst, both aligned to kBytes; the rest
// of the kBytes at s_dst becomes zero. Costs several instructions more than a whole copy.
template <int kBytes>
__device__ __forceinline__ void cp_async(void* s_dst, const void* g_src, int bytes_read) {
  static_assert(kBytes == 4 || kBytes == 16, "one word or four");
#if __CUDA_ARCH__ >= 800
  const auto dst = static_cast<uint32_t>(__cvta_generic_to_shared(s_dst));
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(dst), "l"(g_src),
                 "r"(bytes_read)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" ::"r"(dst), "l"(g_src),
                 "r"(bytes_read)
                 : "memory");
  }
#else
  __trap();
#endif
}

// Ends a group: all copies that this thread began since the last call, none included.
__device__ __forceinline__ void cp_async_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;\n" ::: "memory");
#endif
}

// Waits until at most the kPending youngest groups of this thread are under way.
template <int kPending>
__device__ __forceinline__ void cp_async_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;\n" ::"n"(kPending) : "memory");
#endif
}

}  // namespace tessera::cuda
