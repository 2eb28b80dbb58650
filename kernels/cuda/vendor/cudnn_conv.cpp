// SPDX-License-Identifier: Apache-2.0
// cudnn_conv: dst = activation(conv(src, weights) + bias + residual) by cuDNN's graphs: bias,
// residual and ReLU in the same launch where cuDNN has such an engine, what is left of the epilogue
// in one pass over dst after it.
//
//   operands  float32 (strict, or TF32 where the problem allows it), float16, bfloat16; NCHW and
//             NHWC; addresses of a multiple of 16 bytes
//   limits    what cuDNN has a deterministic engine for; at most 256 MiB of workspace for it
//   sum       float32, direct: no engine that transforms the data, since those spread one infinity
//             over a tile of results; a 16-bit result is rounded once, after the sum
//   NaN       ReLU is left to cuDNN only where an engine promises that NaN stays NaN
#include <algorithm>
#include <cstring>

#include "core/math.h"
#include "kernels/cuda/data_movement/batched_transpose.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/support.h"
#include "kernels/cuda/vendor/conv_epilogue.h"
#include "kernels/cuda/vendor/cudnn_conv_plan.h"

namespace tessera::cuda {
namespace {

constexpr size_t kAlignment = 256;  // of the parts of the workspace

Support supports(const ConvProblem& p, const DeviceInfo& device) {
  if (!support_float(p.dtype).ok()) return support_float(p.dtype);
  if (!is_strided_layout(p.src_layout)) return support_strided_layout(p.src_layout);
  if (!is_strided_layout(p.dst_layout)) return support_strided_layout(p.dst_layout);
  for (const int64_t extent : {p.N, p.C, p.H, p.W, p.K, p.R, p.S, p.P, p.Q}) {
    if (extent == 0) return Support::no("an extent is 0, which cuDNN does not take");
  }
  if (!cudnn().ok()) return Support::no(cudnn().status().message());
  const auto plan = cudnn_conv_plan(p, device.ordinal);
  return plan.ok() ? Support::yes() : Support::no(plan.status().message());
}

// Tensor cores read channels side by side; the float32 engines are made for NCHW.
LayoutPreference prefer_layouts(const Problem& problem, const DeviceInfo&) {
  const auto& p = std::get<ConvProblem>(problem);
  const bool tensor_cores = p.dtype != DType::kF32 || p.allow_tf32;
  const Layout layout = tensor_cores ? Layout::kNHWC : Layout::kRowMajor;
  return {layout, layout};
}

// True when the weights do not lie as the plan wants them.
bool reorders_weights(const ConvProblem& p) {
  return p.src_layout == Layout::kNHWC && p.R * p.S > 1 && p.C / p.groups > 1;
}

class CudnnConv final : public Kernel {
 public:
  CudnnConv(const ConvProblem& problem, std::shared_ptr<const ConvPlan> plan, Device& device)
      : problem_(problem), plan_(std::move(plan)), device_(device) {
    const auto size = [](bool needed, int64_t elements, size_t element_bytes) {
      const size_t bytes = needed ? static_cast<size_t>(elements) * element_bytes : 0;
      return ceil_div(bytes, kAlignment) * kAlignment;
    };
    library_bytes_ = size(true, plan_->execution.workspace_bytes, 1);
    product_bytes_ = size(plan_->division.float_product,
                          problem.N * problem.K * problem.P * problem.Q, sizeof(float));
    weights_bytes_ =
        size(reorders_weights(problem), weights_elements(), dtype_size_bytes(problem.dtype));
  }

  [[nodiscard]] size_t workspace_bytes() const override {
    const bool packed = packed_weights_.data() != nullptr;
    return library_bytes_ + product_bytes_ + (packed ? 0 : weights_bytes_);
  }

  Result<std::vector<int>> pack_constants(std::span<const Tensor* const> constants) override {
    const Tensor* weights = constants[ConvProblem::kWeights];
    if (!reorders_weights(problem_) || weights == nullptr) return std::vector<int>{};
    const std::vector<std::byte> reordered =
        reorder(static_cast<const std::byte*>(weights->data()));
    TESSERA_ASSIGN_OR_RETURN(packed_weights_, device_.allocate(reordered.size()));
    TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, device_.create_stream());
    TESSERA_RETURN_IF_ERROR(
        stream->copy_to_device(packed_weights_.data(), reordered.data(), reordered.size()));
    TESSERA_RETURN_IF_ERROR(stream->synchronize());
    return std::vector<int>{ConvProblem::kWeights};
  }

  Status launch(const Operands& operands, Stream& stream) override {
    auto* const workspace = static_cast<std::byte*>(operands.workspace);
    auto* const product = plan_->division.float_product
                              ? reinterpret_cast<float*>(workspace + library_bytes_)
                              : nullptr;
    TESSERA_ASSIGN_OR_RETURN(
        const void* const weights,
        find_weights(operands, workspace + library_bytes_ + product_bytes_, stream));
    TESSERA_RETURN_IF_ERROR(convolve(operands, weights, product, stream));
    ConvProblem rest = problem_;
    rest.epilogue.has_bias &= !plan_->division.bias;
    rest.epilogue.has_residual &= !plan_->division.residual;
    if (plan_->division.relu) rest.epilogue.activation = {};
    return launch_conv_epilogue(rest, product, operands, stream);
  }

 private:
  [[nodiscard]] int64_t weights_elements() const {
    return problem_.K * (problem_.C / problem_.groups) * problem_.R * problem_.S;
  }

  // (K, C/groups, R, S) to (K, R, S, C/groups).
  [[nodiscard]] std::vector<std::byte> reorder(const std::byte* weights) const {
    const auto size = dtype_size_bytes(problem_.dtype);
    const auto channels = static_cast<size_t>(problem_.C / problem_.groups);
    const auto taps = static_cast<size_t>(problem_.R * problem_.S);
    std::vector<std::byte> result(static_cast<size_t>(weights_elements()) * size);
    for (size_t i = 0; i * size < result.size(); ++i) {
      const size_t channel = i / taps % channels;
      const size_t filter = i / taps / channels;
      const size_t to = (filter * taps + i % taps) * channels + channel;
      std::memcpy(&result[to * size], &weights[i * size], size);
    }
    return result;
  }

  // The weights as the plan wants them; they are reordered into `space` when they were not packed.
  Result<const void*> find_weights(const Operands& operands, void* space, Stream& stream) const {
    if (packed_weights_.data() != nullptr) return static_cast<const void*>(packed_weights_.data());
    const void* const weights = input<void>(operands, ConvProblem::kWeights);
    if (!reorders_weights(problem_)) return weights;
    const BatchedTranspose transpose = {problem_.dtype, problem_.K, problem_.C / problem_.groups,
                                        problem_.R * problem_.S};
    const void* const inputs[] = {weights};
    TESSERA_RETURN_IF_ERROR(launch_batched_transpose(transpose, {inputs, space, nullptr}, stream));
    return static_cast<const void*>(space);
  }

  Status convolve(const Operands& operands, const void* weights, float* product, Stream& stream) {
    std::vector<int64_t> ids = {kGraphSrc, kGraphWeights, kGraphDst};
    std::vector<const void*> pointers = {input<void>(operands, ConvProblem::kSrc), weights,
                                         product != nullptr ? product : operands.output};
    if (plan_->division.bias) {
      ids.push_back(kGraphBias);
      pointers.push_back(input<void>(operands, ConvProblem::kBias));
    }
    if (plan_->division.residual) {
      ids.push_back(kGraphResidual);
      pointers.push_back(input<void>(operands, ConvProblem::kResidual));
    }
    std::vector<void*> mutable_pointers;  // cuDNN takes inputs and outputs alike
    for (const void* pointer : pointers) {
      if (reinterpret_cast<uintptr_t>(pointer) % kGraphAlignmentBytes != 0) {
        return internal_error("an operand of cudnn_conv is not at a multiple of 16 bytes");
      }
      mutable_pointers.push_back(const_cast<void*>(pointer));
    }
    TESSERA_ASSIGN_OR_RETURN(const cudaStream_t cuda_stream, activate(stream));
    CudnnHandle& handle = *plan_->handle;
    const std::lock_guard<std::mutex> lock(handle.mutex());
    TESSERA_CUDNN_RETURN_IF_ERROR(cudnn()->set_stream(handle.get(), cuda_stream), "cudnnSetStream");
    return execute_plan(handle, plan_->execution, ids, mutable_pointers, operands.workspace);
  }

  ConvProblem problem_;
  std::shared_ptr<const ConvPlan> plan_;
  Device& device_;
  Buffer packed_weights_;
  size_t library_bytes_ = 0;
  size_t product_bytes_ = 0;
  size_t weights_bytes_ = 0;
};

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device& device) {
  const auto& p = std::get<ConvProblem>(problem);
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const ConvPlan> plan,
                           cudnn_conv_plan(p, device.info().ordinal));
  return std::unique_ptr<Kernel>(std::make_unique<CudnnConv>(p, std::move(plan), device));
}

}  // namespace

const KernelEntry cudnn_conv_entry = {"cudnn_conv",
                                      ConvProblem::kFamily,
                                      "cuDNN's direct convolution with what it can fuse; NaN and "
                                      "infinities by its own rules",
                                      [](const Problem& problem, const DeviceInfo& device) {
                                        return supports(std::get<ConvProblem>(problem), device);
                                      },
                                      create,
                                      prefer_layouts,
                                      false};

}  // namespace tessera::cuda
