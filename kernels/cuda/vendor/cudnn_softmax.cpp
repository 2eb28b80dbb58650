// SPDX-License-Identifier: Apache-2.0
// cudnn_softmax: softmax and log-softmax along any axis by cuDNN's softmax over the channels of an
// (outer, axis, inner, 1) tensor.
//
//   operands  float32: in 16 bits cuDNN 9 was seen to be a whole unit in the last place off
//   limits    elements below 2^31
//   sum       float32, with the maximum subtracted
#include <limits>

#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/support.h"
#include "kernels/cuda/vendor/cudnn.h"

namespace tessera::cuda {
namespace {

Support supports(const SoftmaxProblem& p, const DeviceInfo&) {
  if (p.dtype != DType::kF32) {
    return Support::no("cuDNN's results in 16 bits are not rounded to the nearest");
  }
  const double elements =
      static_cast<double>(p.outer) * static_cast<double>(p.axis) * static_cast<double>(p.inner);
  if (elements == 0) return Support::no("an extent is 0, which cuDNN does not take");
  if (p.log) {
    return Support::no("cuDNN subtracts maximum and logarithm in one, which loses digits of both");
  }
  if (elements > std::numeric_limits<int>::max()) {
    return Support::no("more than 2^31 - 1 elements, cuDNN's limit");
  }
  if (!cudnn().ok()) return Support::no(cudnn().status().message());
  return Support::yes();
}

class CudnnSoftmax final : public Kernel {
 public:
  CudnnSoftmax(const SoftmaxProblem& problem, std::shared_ptr<CudnnHandle> handle,
               TensorDescriptor tensor)
      : problem_(problem), handle_(std::move(handle)), tensor_(std::move(tensor)) {}

  Status launch(const Operands& operands, Stream& stream) override {
    TESSERA_ASSIGN_OR_RETURN(const cudaStream_t cuda_stream, activate(stream));
    const float one = 1.0f;
    const float zero = 0.0f;
    const cudnnSoftmaxAlgorithm_t algorithm =
        problem_.log ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE;
    const std::lock_guard<std::mutex> lock(handle_->mutex());
    TESSERA_CUDNN_RETURN_IF_ERROR(cudnn()->set_stream(handle_->get(), cuda_stream),
                                  "cudnnSetStream");
    TESSERA_CUDNN_RETURN_IF_ERROR(
        cudnn()->softmax_forward(handle_->get(), algorithm, CUDNN_SOFTMAX_MODE_CHANNEL, &one,
                                 tensor_.get(), input<void>(operands, SoftmaxProblem::kSrc), &zero,
                                 tensor_.get(), operands.output),
        "cudnnSoftmaxForward");
    return {};
  }

 private:
  SoftmaxProblem problem_;
  std::shared_ptr<CudnnHandle> handle_;
  TensorDescriptor tensor_;
};

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device& device) {
  const auto& p = std::get<SoftmaxProblem>(problem);
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<CudnnHandle> handle,
                           cudnn_handle(device.info().ordinal));
  const auto outer = static_cast<int>(p.outer);
  const auto axis = static_cast<int>(p.axis);
  const auto inner = static_cast<int>(p.inner);
  TESSERA_ASSIGN_OR_RETURN(
      TensorDescriptor tensor,
      make_tensor_descriptor(p.dtype, {{outer, axis, inner, 1}, {axis * inner, inner, 1, 1}}));
  return std::unique_ptr<Kernel>(
      std::make_unique<CudnnSoftmax>(p, std::move(handle), std::move(tensor)));
}

}  // namespace

const KernelEntry cudnn_softmax_entry = {"cudnn_softmax",
                                         SoftmaxProblem::kFamily,
                                         "cuDNN's softmax; NaN and infinities by its own rules",
                                         [](const Problem& problem, const DeviceInfo& device) {
                                           return supports(std::get<SoftmaxProblem>(problem),
                                                           device);
                                         },
                                         create,
                                         nullptr,
                                         false};

}  // namespace tessera::cuda
