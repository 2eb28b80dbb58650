// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>
#include <memory>
#include <string>
#include <string_view>

#include "core/status.h"

namespace tessera::cuda {

// The functions of cuBLASLt that this backend calls, under the names they have in the library.
struct CublasLtApi {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtGetProperty) get_property = nullptr;
  decltype(&cublasLtGetStatusString) get_status_string = nullptr;
  decltype(&cublasLtMatmulDescCreate) matmul_desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) matmul_desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) matmul_desc_set_attribute = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) matrix_layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) matrix_layout_destroy = nullptr;
  decltype(&cublasLtMatrixLayoutSetAttribute) matrix_layout_set_attribute = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set_attribute = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) get_heuristic = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
};

// cuBLASLt, opened at the first call in the process and kept, or kUnavailable with what was tried.
// Thread-safe and, from the second call on, cheap.
const Result<CublasLtApi>& cublaslt();

// "cuBLASLt 13.0.2", or why it was not found.
std::string describe_cublaslt();

// The outcome of a cuBLASLt call as a Status. Requires: cublaslt().ok().
Status cublaslt_status(cublasStatus_t status, std::string_view call);

// A cuBLASLt handle of one device. Unlike one of cuBLAS it may be used by several threads at once.
class CublasLtHandle {
 public:
  explicit CublasLtHandle(cublasLtHandle_t handle) : handle_(handle) {}
  ~CublasLtHandle();
  CublasLtHandle(const CublasLtHandle&) = delete;
  CublasLtHandle& operator=(const CublasLtHandle&) = delete;

  [[nodiscard]] cublasLtHandle_t get() const { return handle_; }

 private:
  cublasLtHandle_t handle_;
};

// The handle of device `ordinal`, shared by all kernels that hold it.
Result<std::shared_ptr<CublasLtHandle>> cublaslt_handle(int ordinal);

// Owners of cuBLASLt's descriptors.
struct CublasLtDelete {
  void operator()(cublasLtMatmulDesc_t descriptor) const;
  void operator()(cublasLtMatrixLayout_t layout) const;
  void operator()(cublasLtMatmulPreference_t preference) const;
};
using MatmulDescriptor = std::unique_ptr<cublasLtMatmulDescOpaque_t, CublasLtDelete>;
using MatrixLayout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, CublasLtDelete>;
using MatmulPreference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, CublasLtDelete>;

}  // namespace tessera::cuda

// Returns from the enclosing function with the status of a cuBLASLt call unless it succeeded.
#define TESSERA_CUBLASLT_RETURN_IF_ERROR(call, name) \
  TESSERA_RETURN_IF_ERROR(::tessera::cuda::cublaslt_status((call), (name)))
