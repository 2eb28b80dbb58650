// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cublas_v2.h>

#include "kernels/kernel.h"
#include "kernels/problem/gemm.h"

namespace tessera::cuda {

// What cuBLAS and cuBLASLt have in common.
//
// Both are column-major. A row-major matrix with leading dimension ld is its transpose read
// column-major with the same ld, so D = A * B becomes D^T = B^T * A^T: the operands change places
// and keep their transpose flags.

// What NVIDIA recommends for Hopper; older GPUs get by with less. A workspace of the kernel's own
// can be captured and gives the same bits on every run.
constexpr size_t kLibraryWorkspaceBytes = size_t{32} << 20;

// Yes for float32, float16 and bfloat16 with at most one batch stride and extents below 2^31,
// unless the problem is so small that a library call costs more than it saves.
Support support_library_gemm(const GemmProblem& problem);

// The library's name of a dtype. Requires: float32, float16 or bfloat16.
cudaDataType_t library_data_type(DType dtype);

// float32 sums for every dtype; float32 factors stay float32 unless the problem allows TF32.
cublasComputeType_t library_compute_type(const GemmProblem& problem);

inline cublasOperation_t library_operation(bool transpose) {
  return transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
}

// True when a pass over a 16-bit D for this epilogue would round twice: it has to start from the
// product in float32. Rounding and ReLU can change places, so that ReLU alone needs no more than D.
bool needs_float_product(DType dtype, const Epilogue& epilogue);

// Bytes of the (batch, M, N) product in float32.
size_t float_product_bytes(const GemmProblem& problem);

}  // namespace tessera::cuda
