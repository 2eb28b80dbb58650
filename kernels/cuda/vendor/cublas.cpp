// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/vendor/cublas.h"

#include <array>

#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/vendor/shared_library.h"

namespace tessera::cuda {
namespace {

constexpr std::array kNames = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};

Result<CublasApi> open_cublas() {
  TESSERA_ASSIGN_OR_RETURN(void* library, open_library("cuBLAS", kNames));
  CublasApi api;
  const bool complete =
      find_symbol(library, "cublasCreate_v2", api.create) &&
      find_symbol(library, "cublasDestroy_v2", api.destroy) &&
      find_symbol(library, "cublasSetStream_v2", api.set_stream) &&
      find_symbol(library, "cublasSetWorkspace_v2", api.set_workspace) &&
      find_symbol(library, "cublasSetMathMode", api.set_math_mode) &&
      find_symbol(library, "cublasGemmStridedBatchedEx", api.gemm_strided_batched_ex) &&
      find_symbol(library, "cublasGetProperty", api.get_property) &&
      find_symbol(library, "cublasGetStatusString", api.get_status_string);
  if (!complete) {
    return unavailable("the cuBLAS found is too old: it lacks a function that version 11.4 has");
  }
  return api;
}

}  // namespace

const Result<CublasApi>& cublas() {
  static const Result<CublasApi> kApi = open_cublas();
  return kApi;
}

std::string describe_version(std::string_view library, PropertyFunction* get_property) {
  std::string version(library);
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    if (get_property(part, &value) != CUBLAS_STATUS_SUCCESS) return version + " (unknown version)";
    version += part == MAJOR_VERSION ? ' ' : '.';
    version += std::to_string(value);
  }
  return version;
}

std::string describe_cublas() {
  const Result<CublasApi>& api = cublas();
  return api.ok() ? describe_version("cuBLAS", api->get_property) : api.status().message();
}

Status cublas_failure(cublasStatus_t status, std::string_view call, std::string_view text) {
  const std::string message = std::string(call) + " failed: " + std::string(text);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) return out_of_memory(message);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return unsupported(message);
  if (status == CUBLAS_STATUS_NOT_INITIALIZED || status == CUBLAS_STATUS_ARCH_MISMATCH) {
    return unavailable(message + "; check that the library fits the driver and the GPU");
  }
  return internal_error(message);
}

Status to_status(cublasStatus_t status, std::string_view call) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return cublas_failure(status, call, cublas()->get_status_string(status));
}

// An error of the destruction has nowhere to go; the handle is gone either way.
CublasHandle::~CublasHandle() { static_cast<void>(cublas()->destroy(handle_)); }

namespace {

Result<std::shared_ptr<CublasHandle>> make_cublas_handle(int ordinal) {
  if (!cublas().ok()) return cublas().status();
  TESSERA_RETURN_IF_ERROR(use_device(ordinal));
  cublasHandle_t raw = nullptr;
  TESSERA_CUBLAS_RETURN_IF_ERROR(cublas()->create(&raw), "cublasCreate");
  auto handle = std::make_shared<CublasHandle>(raw);
  constexpr auto kMathMode = static_cast<cublasMath_t>(
      CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  TESSERA_CUBLAS_RETURN_IF_ERROR(cublas()->set_math_mode(raw, kMathMode), "cublasSetMathMode");
  return handle;
}

}  // namespace

Result<std::shared_ptr<CublasHandle>> cublas_handle(int ordinal) {
  static SharedPerDevice<CublasHandle> handles;
  return handles.get(ordinal, make_cublas_handle);
}

}  // namespace tessera::cuda
