// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/vendor/cudnn_conv_plan.h"

#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/vendor/library_gemm.h"
#include "kernels/cuda/vendor/library_image.h"

namespace tessera::cuda {
namespace {

constexpr int64_t kMostWorkspaceBytes = int64_t{256} << 20;

// In the order in which they are tried: everything in one launch first. A result in 16 bits must be
// rounded once, after the sum; only ReLU may follow the rounding. Engines of cuDNN 9 that add a
// residual in 16 bits were seen to round the product before it, hence it is left to the pass after.
std::vector<ConvDivision> divisions(const ConvProblem& p) {
  const Epilogue& e = p.epilogue;
  const bool relu = e.activation.kind == ActivationKind::kRelu;
  const Epilogue after_sum = {false, false, e.activation};
  std::vector<ConvDivision> list;
  list.reserve(3);
  if (p.dtype == DType::kF32 || !e.has_residual) {
    if (relu) list.push_back({e.has_bias, e.has_residual, true, false});
    list.push_back({e.has_bias, e.has_residual, false, needs_float_product(p.dtype, after_sum)});
  }
  list.push_back({false, false, false, needs_float_product(p.dtype, e)});
  return list;
}

GraphTensor image_tensor(int64_t id, cudnnDataType_t type, Layout layout,
                         const std::array<int64_t, 4>& extent) {
  return {id, type, extent, library_image_strides(layout, extent[1], extent[2], extent[3])};
}

Result<GraphDescriptor> make_convolution(const ConvProblem& p) {
  TESSERA_ASSIGN_OR_RETURN(GraphDescriptor convolution,
                           GraphDescriptor::create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR));
  const auto mode = CUDNN_CROSS_CORRELATION;
  const std::array strides = {p.stride_h, p.stride_w};
  const std::array dilations = {p.dilation_h, p.dilation_w};
  const std::array pads_before = {p.pad_top, p.pad_left};
  const std::array pads_after = {p.pad_bottom, p.pad_right};
  TESSERA_RETURN_IF_ERROR(convolution.set_int(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 2));
  TESSERA_RETURN_IF_ERROR(
      convolution.set_data_type(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT));
  TESSERA_RETURN_IF_ERROR(
      convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode));
  TESSERA_RETURN_IF_ERROR(convolution.set_ints(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, strides));
  TESSERA_RETURN_IF_ERROR(convolution.set_ints(CUDNN_ATTR_CONVOLUTION_DILATIONS, dilations));
  TESSERA_RETURN_IF_ERROR(convolution.set_ints(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, pads_before));
  TESSERA_RETURN_IF_ERROR(convolution.set_ints(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, pads_after));
  TESSERA_RETURN_IF_ERROR(convolution.finalize());
  return convolution;
}

Result<GraphDescriptor> make_convolution_operation(const ConvProblem& p, const GraphDescriptor& x,
                                                   const GraphDescriptor& w,
                                                   const GraphDescriptor& y) {
  TESSERA_ASSIGN_OR_RETURN(const GraphDescriptor convolution, make_convolution(p));
  TESSERA_ASSIGN_OR_RETURN(
      GraphDescriptor operation,
      GraphDescriptor::create(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR));
  TESSERA_RETURN_IF_ERROR(
      operation.set_descriptor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution));
  TESSERA_RETURN_IF_ERROR(operation.set_descriptor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x));
  TESSERA_RETURN_IF_ERROR(operation.set_descriptor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w));
  TESSERA_RETURN_IF_ERROR(operation.set_descriptor(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y));
  TESSERA_RETURN_IF_ERROR(
      operation.set_float(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0f));
  TESSERA_RETURN_IF_ERROR(operation.set_float(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0f));
  TESSERA_RETURN_IF_ERROR(operation.finalize());
  return operation;
}

// Operations one after the other, each reading what the one before it wrote; only the last result
// is memory.
class OperationChain {
 public:
  OperationChain(const ConvProblem& problem, const ConvDivision& division)
      : problem_(problem),
        type_(cudnn_data_type(problem.dtype)),
        dst_type_(division.float_product ? CUDNN_DATA_FLOAT : type_),
        left_(1 + (division.residual ? 1 : 0) + (division.bias ? 1 : 0) + (division.relu ? 1 : 0)) {
  }

  Status add_convolution() {
    const ConvProblem& p = problem_;
    TESSERA_ASSIGN_OR_RETURN(
        const GraphDescriptor src,
        make_graph_tensor(image_tensor(kGraphSrc, type_, p.src_layout, {p.N, p.C, p.H, p.W})));
    TESSERA_ASSIGN_OR_RETURN(const GraphDescriptor weights,
                             make_graph_tensor(image_tensor(kGraphWeights, type_, p.src_layout,
                                                            {p.K, p.C / p.groups, p.R, p.S})));
    TESSERA_ASSIGN_OR_RETURN(GraphDescriptor result, next_result());
    TESSERA_ASSIGN_OR_RETURN(GraphDescriptor operation,
                             make_convolution_operation(p, src, weights, result));
    return append(std::move(operation), std::move(result));
  }

  // Adds a tensor of dst's shape or, for `channels`, of one value per channel.
  Status add_sum(int64_t id, bool channels) {
    const ConvProblem& p = problem_;
    const std::array<int64_t, 4> extent = {channels ? 1 : p.N, p.K, channels ? 1 : p.P,
                                           channels ? 1 : p.Q};
    TESSERA_ASSIGN_OR_RETURN(const GraphDescriptor addend,
                             make_graph_tensor(image_tensor(id, type_, p.dst_layout, extent)));
    TESSERA_ASSIGN_OR_RETURN(GraphDescriptor result, next_result());
    TESSERA_ASSIGN_OR_RETURN(GraphDescriptor operation, make_add_operation(*last_, addend, result));
    return append(std::move(operation), std::move(result));
  }

  Status add_relu() {
    TESSERA_ASSIGN_OR_RETURN(GraphDescriptor result, next_result());
    TESSERA_ASSIGN_OR_RETURN(GraphDescriptor operation, make_relu_operation(*last_, result));
    return append(std::move(operation), std::move(result));
  }

  [[nodiscard]] const std::vector<GraphDescriptor>& operations() const { return operations_; }

 private:
  Result<GraphDescriptor> next_result() {
    --left_;
    const int64_t id = left_ == 0 ? kGraphDst : -1 - left_;
    const ConvProblem& p = problem_;
    return make_graph_tensor(image_tensor(id, left_ == 0 ? dst_type_ : CUDNN_DATA_FLOAT,
                                          p.dst_layout, {p.N, p.K, p.P, p.Q}));
  }

  Status append(GraphDescriptor operation, GraphDescriptor result) {
    operations_.push_back(std::move(operation));
    last_ = std::move(result);
    return {};
  }

  const ConvProblem& problem_;
  cudnnDataType_t type_;
  cudnnDataType_t dst_type_;
  int64_t left_;  // operations that are still to come
  std::vector<GraphDescriptor> operations_;
  std::optional<GraphDescriptor> last_;
};

Result<ConvPlan> make_plan(const ConvProblem& p, const ConvDivision& division,
                           const std::shared_ptr<CudnnHandle>& handle) {
  OperationChain chain(p, division);
  TESSERA_RETURN_IF_ERROR(chain.add_convolution());
  if (division.residual) TESSERA_RETURN_IF_ERROR(chain.add_sum(kGraphResidual, false));
  if (division.bias) TESSERA_RETURN_IF_ERROR(chain.add_sum(kGraphBias, true));
  if (division.relu) TESSERA_RETURN_IF_ERROR(chain.add_relu());
  TESSERA_ASSIGN_OR_RETURN(const GraphDescriptor graph,
                           make_operation_graph(*handle, chain.operations()));
  const EngineDemands demands = {p.dtype == DType::kF32 && !p.allow_tf32, division.relu,
                                 kMostWorkspaceBytes};
  TESSERA_ASSIGN_OR_RETURN(ExecutionPlan execution, make_execution_plan(*handle, graph, demands));
  return ConvPlan{handle, division, std::move(execution)};
}

Result<std::shared_ptr<const ConvPlan>> find_plan(const ConvProblem& p, int ordinal) {
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<CudnnHandle> handle, cudnn_handle(ordinal));
  TESSERA_RETURN_IF_ERROR(use_device(ordinal));
  const std::lock_guard<std::mutex> lock(handle->mutex());
  Status status;
  for (const ConvDivision& division : divisions(p)) {
    Result<ConvPlan> plan = make_plan(p, division, handle);
    if (plan.ok()) return std::make_shared<const ConvPlan>(std::move(*plan));
    status = plan.status();
    if (status.code() != StatusCode::kUnsupported) break;
  }
  return status;
}

// Answers of find_plan, refusals included. Never destroyed: at the process's end the driver may be
// gone before it.
class PlanCache {
 public:
  Result<std::shared_ptr<const ConvPlan>> get(const ConvProblem& p, int ordinal) {
    // Enough for the largest model; a process that goes through more problems starts anew.
    constexpr size_t kMostPlans = 512;
    std::ostringstream key;
    key << ordinal << ' ' << p;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = plans_.find(key.str()); known != plans_.end()) return known->second;
    if (plans_.size() >= kMostPlans) plans_.clear();
    return plans_.emplace(key.str(), find_plan(p, ordinal)).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Result<std::shared_ptr<const ConvPlan>>> plans_;
};

}  // namespace

Result<std::shared_ptr<const ConvPlan>> cudnn_conv_plan(const ConvProblem& problem, int ordinal) {
  static auto* const cache = new PlanCache;
  return cache->get(problem, ordinal);
}

}  // namespace tessera::cuda
