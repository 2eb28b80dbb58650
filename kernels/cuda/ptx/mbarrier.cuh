// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

// Barriers in shared memory that count arrivals and bytes, through which the copy engine and the
// warps of a cluster tell each other that a stage has been filled or read: PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier", compute capability 9.0.
//
// A barrier goes through phases. A phase ends when as many threads have arrived as init was given
// and as many bytes as were expected; whoever waits names the parity of the phase: 0 for the first,
// 1 for the second, 0 for the third.

namespace tessera::cuda {

__device__ __forceinline__ uint32_t shared_address(const void* s_pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(s_pointer));
}

class MBarrier {
 public:
  // By one thread; fence_mbarrier_init and a barrier of all threads that use it come after.
  __device__ __forceinline__ void init(uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(address()), "r"(arrivals)
                 : "memory");
  }

  // Arrives, and makes the phase wait for this many bytes of copies too.
  __device__ __forceinline__ void arrive_and_expect(uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(address()),
                 "r"(bytes)
                 : "memory");
  }

  // Arrives at the barrier that lies at this place in the shared memory of a block of the cluster.
  // Says that this thread's reads are over and publishes no writes to other blocks: that would be a
  // release of the whole cluster, which the compiler makes a fence of all memory.
  __device__ __forceinline__ void arrive_in_block(uint32_t rank) {
    asm volatile(
        "{\n"
        ".reg .b32 remote;\n"
        "mapa.shared::cluster.u32 remote, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
        "}\n" ::"r"(address()),
        "r"(rank)
        : "memory");
  }

  // Waits for the end of the phase with this parity; what the copy engine brought and what threads
  // of this block wrote before their arrivals can be read afterwards.
  __device__ __forceinline__ void wait(uint32_t parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}\n" ::"r"(address()),
        "r"(parity)
        : "memory");
  }

  [[nodiscard]] __device__ __forceinline__ uint32_t address() const {
    return shared_address(&state_);
  }

 private:
  uint64_t state_;
};

// Makes barriers that this thread has initialised known to the copy engine and to the cluster.
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
}

// All threads of all blocks of the cluster meet.
__device__ __forceinline__ void sync_cluster() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;\n" ::
          : "memory");
}

__device__ __forceinline__ uint32_t block_rank_in_cluster() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
  return rank;
}

}  // namespace tessera::cuda
