// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/gemm/tensor_map.h"

#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <string>

#include "core/dtype.h"
#include "kernels/cuda/runtime/cuda_status.h"

namespace tessera::cuda {
namespace {

constexpr int kAlignmentBytes = 16;
constexpr cuuint32_t kBoxColumns = 64;

struct Driver {
  PFN_cuTensorMapEncodeTiled_v12000 encode_tiled;
};

// The driver is not linked, so that the program starts without one.
Result<Driver> find_driver() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  constexpr unsigned kVersion = 12000;
  TESSERA_CUDA_RETURN_IF_ERROR(cudaGetDriverEntryPointByVersion(
      "cuTensorMapEncodeTiled", &function, kVersion, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess || function == nullptr) {
    return unsupported("the driver has no cuTensorMapEncodeTiled; it takes one for CUDA 12.0");
  }
  return Driver{reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function)};
}

}  // namespace

Result<CUtensorMap> make_tensor_map(const BoxedMatrix& matrix) {
  if (reinterpret_cast<uintptr_t>(matrix.data) % kAlignmentBytes != 0) {
    return unsupported("the copy engine reads matrices from addresses that are multiples of " +
                       std::to_string(kAlignmentBytes) + " bytes");
  }
  TESSERA_ASSIGN_OR_RETURN(const Driver driver, find_driver());
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(matrix.columns),
                                static_cast<cuuint64_t>(matrix.rows)};
  const cuuint64_t pitch_bytes[] = {static_cast<cuuint64_t>(matrix.pitch) *
                                    dtype_size_bytes(matrix.dtype)};
  const cuuint32_t box[] = {kBoxColumns, static_cast<cuuint32_t>(matrix.box_rows)};
  const cuuint32_t steps[] = {1, 1};
  CUtensorMap map;
  const CUresult result =
      driver.encode_tiled(&map,
                          matrix.dtype == DType::kBF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                       : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                          2, const_cast<void*>(matrix.data), extents, pitch_bytes, box, steps,
                          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                          CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    return internal_error("cuTensorMapEncodeTiled failed with CUresult " +
                          std::to_string(static_cast<int>(result)) + " for a matrix of " +
                          std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns));
  }
  return map;
}

}  // namespace tessera::cuda
