// SPDX-License-Identifier: Apache-2.0
// cudnn_pool: maximum and mean over windows by cuDNN.
//
//   operands  float32, float16, bfloat16; NCHW and NHWC
//   limits    no dilation; pads smaller than the window and such that padding both ends with the
//             one at the beginning gives the same windows; elements below 2^31. cuDNN divides by
//             the whole window where padding counts, so no window may reach past the padding then
//   sum       float32
#include <algorithm>
#include <limits>

#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/support.h"
#include "kernels/cuda/vendor/cudnn.h"
#include "kernels/cuda/vendor/library_image.h"

namespace tessera::cuda {
namespace {

// One dimension of a pooling window.
struct WindowAxis {
  int64_t in, out, window, stride, pad_begin, pad_end;
};

Support support_axis(const WindowAxis& axis, bool padding_counts) {
  if (axis.pad_begin >= axis.window) {
    return Support::no("a pad of " + std::to_string(axis.pad_begin) +
                       " is not smaller than the window of " + std::to_string(axis.window));
  }
  const int64_t windows = (axis.in + 2 * axis.pad_begin - axis.window) / axis.stride + 1;
  if (axis.in + 2 * axis.pad_begin < axis.window || windows != axis.out) {
    return Support::no("pads of " + std::to_string(axis.pad_begin) + " and " +
                       std::to_string(axis.pad_end) + " give " + std::to_string(axis.out) +
                       " windows and cuDNN, which pads both ends alike, another number");
  }
  const int64_t reach = (axis.out - 1) * axis.stride + axis.window;
  if (padding_counts && reach > axis.in + axis.pad_begin + axis.pad_end) {
    return Support::no("a window reaches past the padding, where cuDNN counts cells too");
  }
  return Support::yes();
}

Support supports(const PoolProblem& p, const DeviceInfo&) {
  if (!support_float(p.dtype).ok()) return support_float(p.dtype);
  if (!is_strided_layout(p.layout)) return support_strided_layout(p.layout);
  if (p.dilation_h != 1 || p.dilation_w != 1) return Support::no("cuDNN's windows are not dilated");
  const double elements = static_cast<double>(p.N) * static_cast<double>(p.C) *
                          static_cast<double>(std::max(p.H * p.W, p.P * p.Q));
  if (elements == 0) return Support::no("an extent is 0, which cuDNN does not take");
  if (elements > std::numeric_limits<int>::max()) {
    return Support::no("more than 2^31 - 1 elements, cuDNN's limit");
  }
  const bool padding_counts = p.kind == PoolKind::kAverage && p.count_include_pad;
  for (const WindowAxis& axis : {WindowAxis{p.H, p.P, p.R, p.stride_h, p.pad_top, p.pad_bottom},
                                 WindowAxis{p.W, p.Q, p.S, p.stride_w, p.pad_left, p.pad_right}}) {
    const Support support = support_axis(axis, padding_counts);
    if (!support.ok()) return support;
  }
  if (!cudnn().ok()) return Support::no(cudnn().status().message());
  return Support::yes();
}

class CudnnPool final : public Kernel {
 public:
  CudnnPool(std::shared_ptr<CudnnHandle> handle, PoolingDescriptor window, TensorDescriptor src,
            TensorDescriptor dst)
      : handle_(std::move(handle)),
        window_(std::move(window)),
        src_(std::move(src)),
        dst_(std::move(dst)) {}

  Status launch(const Operands& operands, Stream& stream) override {
    TESSERA_ASSIGN_OR_RETURN(const cudaStream_t cuda_stream, activate(stream));
    const float one = 1.0f;
    const float zero = 0.0f;
    const std::lock_guard<std::mutex> lock(handle_->mutex());
    TESSERA_CUDNN_RETURN_IF_ERROR(cudnn()->set_stream(handle_->get(), cuda_stream),
                                  "cudnnSetStream");
    TESSERA_CUDNN_RETURN_IF_ERROR(
        cudnn()->pooling_forward(handle_->get(), window_.get(), &one, src_.get(),
                                 input<void>(operands, PoolProblem::kSrc), &zero, dst_.get(),
                                 operands.output),
        "cudnnPoolingForward");
    return {};
  }

 private:
  std::shared_ptr<CudnnHandle> handle_;
  PoolingDescriptor window_;
  TensorDescriptor src_;
  TensorDescriptor dst_;
};

int as_int(int64_t value) { return static_cast<int>(value); }

Result<TensorDescriptor> image_descriptor(const PoolProblem& p, int64_t h, int64_t w) {
  const auto [n_stride, c_stride, h_stride, w_stride] = library_image_strides(p.layout, p.C, h, w);
  return make_tensor_descriptor(
      p.dtype, {{as_int(p.N), as_int(p.C), as_int(h), as_int(w)},
                {as_int(n_stride), as_int(c_stride), as_int(h_stride), as_int(w_stride)}});
}

Result<PoolingDescriptor> window_descriptor(const PoolProblem& p) {
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX_DETERMINISTIC;
  if (p.kind == PoolKind::kAverage) {
    mode = p.count_include_pad ? CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                               : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
  }
  cudnnPoolingDescriptor_t raw = nullptr;
  TESSERA_CUDNN_RETURN_IF_ERROR(cudnn()->create_pooling(&raw), "cudnnCreatePoolingDescriptor");
  PoolingDescriptor window(raw);
  TESSERA_CUDNN_RETURN_IF_ERROR(
      cudnn()->set_pooling_2d(raw, mode, CUDNN_PROPAGATE_NAN, as_int(p.R), as_int(p.S),
                              as_int(p.pad_top), as_int(p.pad_left), as_int(p.stride_h),
                              as_int(p.stride_w)),
      "cudnnSetPooling2dDescriptor");
  return window;
}

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device& device) {
  const auto& p = std::get<PoolProblem>(problem);
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<CudnnHandle> handle,
                           cudnn_handle(device.info().ordinal));
  TESSERA_ASSIGN_OR_RETURN(PoolingDescriptor window, window_descriptor(p));
  TESSERA_ASSIGN_OR_RETURN(TensorDescriptor src, image_descriptor(p, p.H, p.W));
  TESSERA_ASSIGN_OR_RETURN(TensorDescriptor dst, image_descriptor(p, p.P, p.Q));
  return std::unique_ptr<Kernel>(std::make_unique<CudnnPool>(std::move(handle), std::move(window),
                                                             std::move(src), std::move(dst)));
}

}  // namespace

const KernelEntry cudnn_pool_entry = {"cudnn_pool",
                                      PoolProblem::kFamily,
                                      "cuDNN's pooling; NaN and infinities by its own rules",
                                      [](const Problem& problem, const DeviceInfo& device) {
                                        return supports(std::get<PoolProblem>(problem), device);
                                      },
                                      create,
                                      nullptr,
                                      false};

}  // namespace tessera::cuda
