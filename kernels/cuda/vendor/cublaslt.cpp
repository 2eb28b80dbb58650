// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/vendor/cublaslt.h"

#include <array>

#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/vendor/cublas.h"
#include "kernels/cuda/vendor/shared_library.h"

namespace tessera::cuda {
namespace {

constexpr std::array kNames = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};

Result<CublasLtApi> open_cublaslt() {
  TESSERA_ASSIGN_OR_RETURN(void* library, open_library("cuBLASLt", kNames));
  CublasLtApi api;
  const bool complete =
      find_symbol(library, "cublasLtCreate", api.create) &&
      find_symbol(library, "cublasLtDestroy", api.destroy) &&
      find_symbol(library, "cublasLtGetProperty", api.get_property) &&
      find_symbol(library, "cublasLtGetStatusString", api.get_status_string) &&
      find_symbol(library, "cublasLtMatmulDescCreate", api.matmul_desc_create) &&
      find_symbol(library, "cublasLtMatmulDescDestroy", api.matmul_desc_destroy) &&
      find_symbol(library, "cublasLtMatmulDescSetAttribute", api.matmul_desc_set_attribute) &&
      find_symbol(library, "cublasLtMatrixLayoutCreate", api.matrix_layout_create) &&
      find_symbol(library, "cublasLtMatrixLayoutDestroy", api.matrix_layout_destroy) &&
      find_symbol(library, "cublasLtMatrixLayoutSetAttribute", api.matrix_layout_set_attribute) &&
      find_symbol(library, "cublasLtMatmulPreferenceCreate", api.preference_create) &&
      find_symbol(library, "cublasLtMatmulPreferenceDestroy", api.preference_destroy) &&
      find_symbol(library, "cublasLtMatmulPreferenceSetAttribute", api.preference_set_attribute) &&
      find_symbol(library, "cublasLtMatmulAlgoGetHeuristic", api.get_heuristic) &&
      find_symbol(library, "cublasLtMatmul", api.matmul);
  if (!complete) {
    return unavailable("the cuBLASLt found is too old: it lacks a function that version 11.4 has");
  }
  return api;
}

Result<std::shared_ptr<CublasLtHandle>> make_cublaslt_handle(int ordinal) {
  if (!cublaslt().ok()) return cublaslt().status();
  TESSERA_RETURN_IF_ERROR(use_device(ordinal));
  cublasLtHandle_t raw = nullptr;
  TESSERA_CUBLASLT_RETURN_IF_ERROR(cublaslt()->create(&raw), "cublasLtCreate");
  return std::make_shared<CublasLtHandle>(raw);
}

}  // namespace

const Result<CublasLtApi>& cublaslt() {
  static const Result<CublasLtApi> kApi = open_cublaslt();
  return kApi;
}

std::string describe_cublaslt() {
  const Result<CublasLtApi>& api = cublaslt();
  return api.ok() ? describe_version("cuBLASLt", api->get_property) : api.status().message();
}

Status cublaslt_status(cublasStatus_t status, std::string_view call) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return cublas_failure(status, call, cublaslt()->get_status_string(status));
}

// Errors of a destruction have nowhere to go; the object is gone either way.
CublasLtHandle::~CublasLtHandle() { static_cast<void>(cublaslt()->destroy(handle_)); }

void CublasLtDelete::operator()(cublasLtMatmulDesc_t descriptor) const {
  static_cast<void>(cublaslt()->matmul_desc_destroy(descriptor));
}
void CublasLtDelete::operator()(cublasLtMatrixLayout_t layout) const {
  static_cast<void>(cublaslt()->matrix_layout_destroy(layout));
}
void CublasLtDelete::operator()(cublasLtMatmulPreference_t preference) const {
  static_cast<void>(cublaslt()->preference_destroy(preference));
}

Result<std::shared_ptr<CublasLtHandle>> cublaslt_handle(int ordinal) {
  static SharedPerDevice<CublasLtHandle> handles;
  return handles.get(ordinal, make_cublaslt_handle);
}

}  // namespace tessera::cuda
