// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Matrix products of a warp on tensor cores and the loads that feed them: PTX ISA, "Warp-level
// matrix instructions: ldmatrix, mma", from compute capability 8.0 on. Code for older devices
// compiles, so that a build may have several architectures, but a kernel that uses these must
// refuse to run there.
//
// Which elements a lane holds, with g = lane / 4 and t = lane % 4:
//   C (16, 8)          c[0], c[1]: row g, columns 2t and 2t + 1; c[2], c[3]: row g + 8
//   A (16, 16) 16-bit  a[0]: row g, k = 2t, 2t + 1; a[1]: row g + 8; a[2], a[3]: the same, k + 8
//   B (16, 8)  16-bit  b[0]: column g, k = 2t, 2t + 1; b[1]: k + 8
//   A (16, 8)  TF32    a[0]: row g, k = t; a[1]: row g + 8; a[2], a[3]: the same, k + 4
//   B (8, 8)   TF32    b[0]: column g, k = t; b[1]: k + 4

namespace tessera::cuda {

// Loads four (8, 8) matrices of 16-bit elements; the row i of matrix j is 16 bytes of shared memory
// at the address that lane 8 * j + i passes. r[j] gets elements 2t and 2t + 1 of row g of matrix j.
__device__ __forceinline__ void load_matrices(const void* s_row, uint32_t (&r)[4]) {
#if __CUDA_ARCH__ >= 800
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(s_row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
#else
  __trap();
#endif
}

// The same with each matrix transposed on its way: r[j] gets elements g of rows 2t and 2t + 1.
__device__ __forceinline__ void load_matrices_transposed(const void* s_row, uint32_t (&r)[4]) {
#if __CUDA_ARCH__ >= 800
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(s_row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
#else
  __trap();
#endif
}

// A float32 rounded to the nearest TF32, as the bits that mma reads.
__device__ __forceinline__ uint32_t round_to_tf32(float x) {
#if __CUDA_ARCH__ >= 800
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;\n" : "=r"(bits) : "f"(x));
  return bits;
#else
  __trap();
  return 0;
#endif
}

// C += A * B over kMmaK<T> elements of k, sums in float32; T = float means TF32.
template <typename T>
constexpr int kMmaK = 32 / static_cast<int>(sizeof(T));

template <typename T>
__device__ __forceinline__ void multiply_matrices(const uint32_t (&a)[4], const uint32_t (&b)[2],
                                                  float (&c)[4]);

#if __CUDA_ARCH__ >= 800
#define TESSERA_MMA(instruction)                                                       \
  asm(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n" \
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                 \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#else
#define TESSERA_MMA(instruction) __trap()
#endif

template <>
__device__ __forceinline__ void multiply_matrices<__half>(const uint32_t (&a)[4],
                                                          const uint32_t (&b)[2], float (&c)[4]) {
  TESSERA_MMA("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
}
template <>
__device__ __forceinline__ void multiply_matrices<__nv_bfloat16>(const uint32_t (&a)[4],
                                                                 const uint32_t (&b)[2],
                                                                 float (&c)[4]) {
  TESSERA_MMA("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
}
template <>
__device__ __forceinline__ void multiply_matrices<float>(const uint32_t (&a)[4],
                                                         const uint32_t (&b)[2], float (&c)[4]) {
  TESSERA_MMA("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
}

#undef TESSERA_MMA

}  // namespace tessera::cuda
