// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublas_v2.h>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/status.h"

namespace tessera::cuda {

// Written out, since C++ has two overloads of the name.
using GemmStridedBatchedEx = cublasStatus_t (*)(
    cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, int m,
    int n, int k, const void* alpha, const void* a, cudaDataType a_type, int lda,
    long long stride_a, const void* b, cudaDataType b_type, int ldb, long long stride_b,
    const void* beta, void* c, cudaDataType c_type, int ldc, long long stride_c, int batch,
    cublasComputeType_t compute_type, cublasGemmAlgo_t algorithm);

// The functions of cuBLAS that this backend calls, under the names they have in the library.
struct CublasApi {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasDestroy_v2) destroy = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  GemmStridedBatchedEx gemm_strided_batched_ex = nullptr;
  decltype(&cublasGetProperty) get_property = nullptr;
  decltype(&cublasGetStatusString) get_status_string = nullptr;
};

// cuBLAS, opened at the first call in the process and kept, or kUnavailable with what was tried.
// The program is not linked with it, so it starts and runs without it. Thread-safe and, from the
// second call on, cheap.
const Result<CublasApi>& cublas();

// "cuBLAS 13.0.2", or why it was not found.
std::string describe_cublas();

// "NAME 13.0.2" from the get_property function of cuBLAS or cuBLASLt.
using PropertyFunction = cublasStatus_t(libraryPropertyType, int*);
std::string describe_version(std::string_view library, PropertyFunction* get_property);

// The Status of a call of cuBLAS or cuBLASLt that failed, with the library's own text for it.
Status cublas_failure(cublasStatus_t status, std::string_view call, std::string_view text);

// The outcome of a cuBLAS call as a Status. Requires: cublas().ok().
Status to_status(cublasStatus_t status, std::string_view call);

// A cuBLAS handle of one device. A handle is not thread-safe, so the mutex is held from setting its
// stream to the end of the call.
class CublasHandle {
 public:
  explicit CublasHandle(cublasHandle_t handle) : handle_(handle) {}
  ~CublasHandle();
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  [[nodiscard]] cublasHandle_t get() const { return handle_; }
  [[nodiscard]] std::mutex& mutex() { return mutex_; }

 private:
  cublasHandle_t handle_;
  std::mutex mutex_;
};

// The handle of device `ordinal`, shared by all kernels that hold it and destroyed with the last
// one. Its math mode leaves the precision to the compute type of each call and keeps partial sums
// of half-precision products in float32.
Result<std::shared_ptr<CublasHandle>> cublas_handle(int ordinal);

}  // namespace tessera::cuda

// Returns from the enclosing function with the status of a cuBLAS call unless it succeeded.
#define TESSERA_CUBLAS_RETURN_IF_ERROR(call, name) \
  TESSERA_RETURN_IF_ERROR(::tessera::cuda::to_status((call), (name)))
