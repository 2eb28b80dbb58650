// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/vendor/cublas.h"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <vector>

#include "kernels/cuda/runtime/cuda_stream.h"

namespace tessera::cuda {
namespace {

constexpr std::array kNames = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};

// Where the loader looks by itself comes first, then the folders in which toolkits are installed.
std::vector<std::string> candidate_paths() {
  std::vector<std::string> folders = {""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && *root != '\0') folders.push_back(std::string(root) + "/lib64/");
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    for (const char* name : kNames) paths.push_back(folder + name);
  }
  return paths;
}

template <typename Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// The library stays open until the process ends: handles and graphs may outlive any owner here.
Result<CublasApi> open_cublas() {
  void* library = nullptr;
  std::string tried;
  for (const std::string& path : candidate_paths()) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  if (library == nullptr) {
    return unavailable("cuBLAS was not found (tried " + tried +
                       "); install it or add its folder to LD_LIBRARY_PATH");
  }
  CublasApi api;
  const bool complete =
      find_symbol(library, "cublasCreate_v2", api.create) &&
      find_symbol(library, "cublasDestroy_v2", api.destroy) &&
      find_symbol(library, "cublasSetStream_v2", api.set_stream) &&
      find_symbol(library, "cublasSetWorkspace_v2", api.set_workspace) &&
      find_symbol(library, "cublasSetMathMode", api.set_math_mode) &&
      find_symbol(library, "cublasSgemmStridedBatched", api.sgemm_strided_batched) &&
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

std::string describe_cublas() {
  const Result<CublasApi>& api = cublas();
  if (!api.ok()) return api.status().message();
  std::string version = "cuBLAS";
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    const Status status = to_status(api->get_property(part, &value), "cublasGetProperty");
    if (!status.ok()) return status.message();
    version += part == MAJOR_VERSION ? ' ' : '.';
    version += std::to_string(value);
  }
  return version;
}

Status to_status(cublasStatus_t status, std::string_view call) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  const std::string message = std::string(call) + " failed: " + cublas()->get_status_string(status);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) return out_of_memory(message);
  if (status == CUBLAS_STATUS_NOT_INITIALIZED || status == CUBLAS_STATUS_ARCH_MISMATCH) {
    return unavailable(message + "; check that this cuBLAS fits the driver and the GPU");
  }
  return internal_error(message);
}

// An error of the destruction has nowhere to go; the handle is gone either way.
CublasHandle::~CublasHandle() { static_cast<void>(cublas()->destroy(handle_)); }

Result<std::shared_ptr<CublasHandle>> cublas_handle(int ordinal) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<CublasHandle>> handles;
  const std::lock_guard<std::mutex> lock(mutex);
  if (std::shared_ptr<CublasHandle> existing = handles[ordinal].lock()) return existing;

  if (!cublas().ok()) return cublas().status();
  TESSERA_RETURN_IF_ERROR(use_device(ordinal));
  cublasHandle_t raw = nullptr;
  TESSERA_CUBLAS_RETURN_IF_ERROR(cublas()->create(&raw), "cublasCreate");
  auto handle = std::make_shared<CublasHandle>(raw);
  TESSERA_CUBLAS_RETURN_IF_ERROR(cublas()->set_math_mode(raw, CUBLAS_PEDANTIC_MATH),
                                 "cublasSetMathMode");
  handles[ordinal] = handle;
  return handle;
}

}  // namespace tessera::cuda
