// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cudnn.h>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/status.h"

namespace tessera::cuda {

// The functions of cuDNN 9 that this backend calls, under the names they have in the library.
struct CudnnApi {
  decltype(&cudnnGetVersion) get_version = nullptr;
  decltype(&cudnnGetErrorString) get_error_string = nullptr;
  decltype(&cudnnGetLastErrorString) get_last_error_string = nullptr;
  decltype(&cudnnCreate) create = nullptr;
  decltype(&cudnnDestroy) destroy = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  // Convolutions are graphs.
  decltype(&cudnnBackendCreateDescriptor) create_descriptor = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor = nullptr;
  decltype(&cudnnBackendSetAttribute) set_attribute = nullptr;
  decltype(&cudnnBackendGetAttribute) get_attribute = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;
  decltype(&cudnnBackendExecute) execute = nullptr;
  // Pooling and softmax have a function each.
  decltype(&cudnnCreateTensorDescriptor) create_tensor = nullptr;
  decltype(&cudnnDestroyTensorDescriptor) destroy_tensor = nullptr;
  decltype(&cudnnSetTensor4dDescriptorEx) set_tensor_4d = nullptr;
  decltype(&cudnnCreatePoolingDescriptor) create_pooling = nullptr;
  decltype(&cudnnDestroyPoolingDescriptor) destroy_pooling = nullptr;
  decltype(&cudnnSetPooling2dDescriptor) set_pooling_2d = nullptr;
  decltype(&cudnnPoolingForward) pooling_forward = nullptr;
  decltype(&cudnnSoftmaxForward) softmax_forward = nullptr;
};

// cuDNN 9, opened at the first call in the process and kept, or kUnavailable with what was tried.
// The program is not linked with it, so it starts and runs without it. Thread-safe and, from the
// second call on, cheap.
const Result<CudnnApi>& cudnn();

// The outcome of a cuDNN call as a Status. Requires: cudnn().ok().
Status cudnn_status(cudnnStatus_t status, std::string_view call);

// A cuDNN handle of one device. A handle is not thread-safe, so the mutex is held from setting its
// stream to the end of the call.
class CudnnHandle {
 public:
  explicit CudnnHandle(cudnnHandle_t handle) : handle_(handle) {}
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  [[nodiscard]] cudnnHandle_t get() const { return handle_; }
  [[nodiscard]] std::mutex& mutex() { return mutex_; }

 private:
  cudnnHandle_t handle_;
  std::mutex mutex_;
};

// The handle of device `ordinal`, shared by all kernels that hold it.
Result<std::shared_ptr<CudnnHandle>> cudnn_handle(int ordinal);

// cuDNN's name of a dtype. Requires: float32, float16 or bfloat16.
cudnnDataType_t cudnn_data_type(DType dtype);

// Owners of cuDNN's descriptors.
struct CudnnDelete {
  void operator()(cudnnTensorDescriptor_t descriptor) const;
  void operator()(cudnnPoolingDescriptor_t descriptor) const;
};
using TensorDescriptor = std::unique_ptr<cudnnTensorStruct, CudnnDelete>;
using PoolingDescriptor = std::unique_ptr<cudnnPoolingStruct, CudnnDelete>;

// A tensor of four extents with their strides in elements.
struct CudnnTensor {
  int extent[4];
  int stride[4];
};
Result<TensorDescriptor> make_tensor_descriptor(DType dtype, const CudnnTensor& tensor);

}  // namespace tessera::cuda

// Returns from the enclosing function with the status of a cuDNN call unless it succeeded.
#define TESSERA_CUDNN_RETURN_IF_ERROR(call, name) \
  TESSERA_RETURN_IF_ERROR(::tessera::cuda::cudnn_status((call), (name)))
