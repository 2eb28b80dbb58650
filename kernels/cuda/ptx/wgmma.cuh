// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "kernels/cuda/ptx/mbarrier.cuh"

// Matrix products of a warpgroup (four consecutive warps, the first one's index a multiple of four)
// with both operands read from shared memory: PTX ISA, "Asynchronous Warpgroup Level Matrix
// Instructions", for compute capability 9.0 alone (sm_90a).
//
// An operand's k-tile is 64 elements of 16 bits along k, in the copy engine's swizzle of 128 bytes:
//   k contiguous      rows of 64 k, 128 bytes each; eight rows repeat the pattern
//   k not contiguous  boxes of 64 rows of k by 64 elements, 8 KB each, beside each other
// A thread's results of (64, N), with g = lane / 4 and t = lane % 4 in the warp w of its group:
//   c[j][0], c[j][1]: row 16w + g, columns 8j + 2t and 8j + 2t + 1; c[j][2], c[j][3]: row + 8

namespace tessera::cuda {

constexpr int kWgmmaM = 64;
constexpr int kWgmmaK = 16;
constexpr int kSwizzleBytes = 128;
constexpr int kSwizzleElements = kSwizzleBytes / 2;
constexpr int kSwizzlePatternBytes = 8 * kSwizzleBytes;
constexpr int kBoxBytes = 64 * kSwizzleBytes;

// An operand in shared memory as the instruction wants to know it: PTX ISA, "Matrix Descriptor
// Format", from the address of its first element.
template <bool kKFastest>
__device__ __forceinline__ uint64_t matrix_descriptor(uint32_t address) {
  constexpr uint64_t kSwizzle128 = uint64_t{1} << 62;
  // In units of 16 bytes: between the patterns of eight rows, and, where k is not contiguous,
  // between the boxes.
  constexpr uint64_t kStride = kSwizzlePatternBytes / 16;
  constexpr uint64_t kLeading = kKFastest ? 1 : kBoxBytes / 16;
  return kSwizzle128 | kStride << 32 | kLeading << 16 | (address & 0x3ffff) >> 4;
}

// How far the descriptor's address moves from one step of kWgmmaK along k to the next.
template <bool kKFastest>
constexpr uint64_t kDescriptorStep = (kKFastest ? kWgmmaK * 2 : kWgmmaK * kSwizzleBytes) / 16;

// Before the first product, and after registers of results were written otherwise.
__device__ __forceinline__ void fence_warpgroup() {
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}

// Ends a group of products.
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}

// Waits until at most the kPending youngest groups are under way.
template <int kPending>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(kPending) : "memory");
}

// Waits for all groups; the results can be read afterwards. Passing them keeps the compiler from
// reading them sooner.
template <int kColumns>
__device__ __forceinline__ void finish_products(float (&r_acc)[kColumns][4]) {
  wait_for_products<0>();
#pragma unroll
  for (auto& results : r_acc) {
#pragma unroll
    for (float& x : results) asm volatile("" : "+f"(x)::"memory");
  }
}

// How many registers a thread of this warpgroup may use from here on.
template <int kRegisters>
__device__ __forceinline__ void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void claim_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(kRegisters));
}

#define TESSERA_RESULTS_4(j) \
  "+f"(r_acc[j][0]), "+f"(r_acc[j][1]), "+f"(r_acc[j][2]), "+f"(r_acc[j][3])
#define TESSERA_RESULTS_16(j) \
  TESSERA_RESULTS_4(j), TESSERA_RESULTS_4(j + 1), TESSERA_RESULTS_4(j + 2), TESSERA_RESULTS_4(j + 3)
#define TESSERA_RESULTS_64(j)                                                  \
  TESSERA_RESULTS_16(j), TESSERA_RESULTS_16(j + 4), TESSERA_RESULTS_16(j + 8), \
      TESSERA_RESULTS_16(j + 12)
#define TESSERA_REGISTERS_64                                                         \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TESSERA_REGISTERS_128                                                                  \
  TESSERA_REGISTERS_64                                                                         \
  ", "                                                                                         \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "           \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "           \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "     \
  "%111, "                                                                                     \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, " \
  "%127"

// The last operands are the two descriptors, "add to the results" and whether k is not contiguous.
#define TESSERA_WGMMA(shape, type, registers, results, a_index, b_index, add, trans_a, trans_b) \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, " add                                      \
               ", 0;\n"                                                                         \
               "wgmma.mma_async.sync.aligned." shape "k16.f32." type "." type " {" registers    \
               "}, " a_index ", " b_index ", add, 1, 1, " trans_a ", " trans_b ";\n}\n"         \
               : results                                                                        \
               : "l"(a), "l"(b), "r"(1), "n"(kKFastestA ? 0 : 1), "n"(kKFastestB ? 0 : 1))

#define TESSERA_WGMMA_N128(type)                                                                   \
  TESSERA_WGMMA("m64n128", type, TESSERA_REGISTERS_64, TESSERA_RESULTS_64(0), "%64", "%65", "%66", \
                "%67", "%68")
#define TESSERA_RESULTS_128 TESSERA_RESULTS_64(0), TESSERA_RESULTS_64(16)
#define TESSERA_WGMMA_N256(type)                                                             \
  TESSERA_WGMMA("m64n256", type, TESSERA_REGISTERS_128, TESSERA_RESULTS_128, "%128", "%129", \
                "%130", "%131", "%132")

// Begins r_acc += A * B for (64, 16) of A and (16, 8 * kColumns) of B, sums in float32.
template <typename T, bool kKFastestA, bool kKFastestB, int kColumns>
__device__ __forceinline__ void multiply_descriptors(uint64_t a, uint64_t b,
                                                     float (&r_acc)[kColumns][4]) {
  constexpr bool kHalf = std::is_same_v<T, __half>;
  static_assert(kHalf || std::is_same_v<T, __nv_bfloat16>, "16-bit elements");
  static_assert(kColumns == 16 || kColumns == 32, "128 or 256 columns");
  if constexpr (kColumns == 16 && kHalf) TESSERA_WGMMA_N128("f16");
  if constexpr (kColumns == 16 && !kHalf) TESSERA_WGMMA_N128("bf16");
  if constexpr (kColumns == 32 && kHalf) TESSERA_WGMMA_N256("f16");
  if constexpr (kColumns == 32 && !kHalf) TESSERA_WGMMA_N256("bf16");
}

#undef TESSERA_WGMMA_N256
#undef TESSERA_RESULTS_128
#undef TESSERA_WGMMA_N128
#undef TESSERA_WGMMA
#undef TESSERA_REGISTERS_128
#undef TESSERA_REGISTERS_64
#undef TESSERA_RESULTS_64
#undef TESSERA_RESULTS_16
#undef TESSERA_RESULTS_4

}  // namespace tessera::cuda
