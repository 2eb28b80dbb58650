// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/vendor/cudnn.h"

#include <array>

#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/vendor/describe_cudnn.h"
#include "kernels/cuda/vendor/shared_library.h"

namespace tessera::cuda {
namespace {

constexpr std::array kNames = {"libcudnn.so.9", "libcudnn.so"};
constexpr size_t kMajorVersion = 9;

std::string version_text(size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

Result<CudnnApi> open_cudnn() {
  TESSERA_ASSIGN_OR_RETURN(void* library, open_library("cuDNN 9", kNames));
  CudnnApi api;
  const bool complete =
      find_symbol(library, "cudnnGetVersion", api.get_version) &&
      find_symbol(library, "cudnnGetErrorString", api.get_error_string) &&
      find_symbol(library, "cudnnGetLastErrorString", api.get_last_error_string) &&
      find_symbol(library, "cudnnCreate", api.create) &&
      find_symbol(library, "cudnnDestroy", api.destroy) &&
      find_symbol(library, "cudnnSetStream", api.set_stream) &&
      find_symbol(library, "cudnnBackendCreateDescriptor", api.create_descriptor) &&
      find_symbol(library, "cudnnBackendDestroyDescriptor", api.destroy_descriptor) &&
      find_symbol(library, "cudnnBackendSetAttribute", api.set_attribute) &&
      find_symbol(library, "cudnnBackendGetAttribute", api.get_attribute) &&
      find_symbol(library, "cudnnBackendFinalize", api.finalize) &&
      find_symbol(library, "cudnnBackendExecute", api.execute) &&
      find_symbol(library, "cudnnCreateTensorDescriptor", api.create_tensor) &&
      find_symbol(library, "cudnnDestroyTensorDescriptor", api.destroy_tensor) &&
      find_symbol(library, "cudnnSetTensor4dDescriptorEx", api.set_tensor_4d) &&
      find_symbol(library, "cudnnCreatePoolingDescriptor", api.create_pooling) &&
      find_symbol(library, "cudnnDestroyPoolingDescriptor", api.destroy_pooling) &&
      find_symbol(library, "cudnnSetPooling2dDescriptor", api.set_pooling_2d) &&
      find_symbol(library, "cudnnPoolingForward", api.pooling_forward) &&
      find_symbol(library, "cudnnSoftmaxForward", api.softmax_forward);
  if (!complete || api.get_version() < kMajorVersion * 10000) {
    const std::string found =
        api.get_version != nullptr ? version_text(api.get_version()) : "of an unknown version";
    return unavailable("cuDNN 9 was not found: the one installed is " + found +
                       "; install version 9 or later");
  }
  return api;
}

Result<std::shared_ptr<CudnnHandle>> make_cudnn_handle(int ordinal) {
  if (!cudnn().ok()) return cudnn().status();
  TESSERA_RETURN_IF_ERROR(use_device(ordinal));
  cudnnHandle_t raw = nullptr;
  TESSERA_CUDNN_RETURN_IF_ERROR(cudnn()->create(&raw), "cudnnCreate");
  return std::make_shared<CudnnHandle>(raw);
}

}  // namespace

const Result<CudnnApi>& cudnn() {
  static const Result<CudnnApi> kApi = open_cudnn();
  return kApi;
}

std::string describe_cudnn() {
  if (!cudnn().ok()) return cudnn().status().message();
  return "cuDNN " + version_text(cudnn()->get_version());
}

Status cudnn_status(cudnnStatus_t status, std::string_view call) {
  if (status == CUDNN_STATUS_SUCCESS) return {};
  std::string message = std::string(call) + " failed: " + cudnn()->get_error_string(status);
  std::array<char, 512> details = {};
  cudnn()->get_last_error_string(details.data(), details.size());
  if (details[0] != '\0') message += std::string(": ") + details.data();
  if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED) {
    return out_of_memory(message);
  }
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) return unsupported(message);
  if (CUDNN_STATUS_CATEGORY(status) == 1000) {
    return unavailable(message + "; check that this cuDNN fits the driver and the GPU");
  }
  return internal_error(message);
}

// Errors of a destruction have nowhere to go; the object is gone either way.
CudnnHandle::~CudnnHandle() { static_cast<void>(cudnn()->destroy(handle_)); }
void CudnnDelete::operator()(cudnnTensorDescriptor_t descriptor) const {
  static_cast<void>(cudnn()->destroy_tensor(descriptor));
}
void CudnnDelete::operator()(cudnnPoolingDescriptor_t descriptor) const {
  static_cast<void>(cudnn()->destroy_pooling(descriptor));
}

Result<std::shared_ptr<CudnnHandle>> cudnn_handle(int ordinal) {
  static SharedPerDevice<CudnnHandle> handles;
  return handles.get(ordinal, make_cudnn_handle);
}

cudnnDataType_t cudnn_data_type(DType dtype) {
  if (dtype == DType::kF16) return CUDNN_DATA_HALF;
  return dtype == DType::kBF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

Result<TensorDescriptor> make_tensor_descriptor(DType dtype, const CudnnTensor& tensor) {
  cudnnTensorDescriptor_t raw = nullptr;
  TESSERA_CUDNN_RETURN_IF_ERROR(cudnn()->create_tensor(&raw), "cudnnCreateTensorDescriptor");
  TensorDescriptor descriptor(raw);
  const auto& [extent, stride] = tensor;
  TESSERA_CUDNN_RETURN_IF_ERROR(
      cudnn()->set_tensor_4d(raw, cudnn_data_type(dtype), extent[0], extent[1], extent[2],
                             extent[3], stride[0], stride[1], stride[2], stride[3]),
      "cudnnSetTensor4dDescriptorEx");
  return descriptor;
}

}  // namespace tessera::cuda
