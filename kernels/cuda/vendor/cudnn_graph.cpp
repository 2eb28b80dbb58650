// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/vendor/cudnn_graph.h"

namespace tessera::cuda {

Result<GraphDescriptor> GraphDescriptor::create(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t raw = nullptr;
  TESSERA_CUDNN_RETURN_IF_ERROR(cudnn()->create_descriptor(type, &raw),
                                "cudnnBackendCreateDescriptor");
  return GraphDescriptor(raw);
}

// An error of the destruction has nowhere to go; the descriptor is gone either way.
void GraphDescriptor::Delete::operator()(void* descriptor) const {
  static_cast<void>(cudnn()->destroy_descriptor(descriptor));
}

Status GraphDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                            int64_t count, const void* values) {
  return cudnn_status(cudnn()->set_attribute(get(), name, type, count, values),
                      "cudnnBackendSetAttribute");
}

Status GraphDescriptor::set_int(cudnnBackendAttributeName_t name, int64_t value) {
  return set(name, CUDNN_TYPE_INT64, 1, &value);
}

Status GraphDescriptor::set_ints(cudnnBackendAttributeName_t name,
                                 std::span<const int64_t> values) {
  return set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
}

Status GraphDescriptor::set_bool(cudnnBackendAttributeName_t name, bool value) {
  return set(name, CUDNN_TYPE_BOOLEAN, 1, &value);
}

Status GraphDescriptor::set_float(cudnnBackendAttributeName_t name, float value) {
  return set(name, CUDNN_TYPE_FLOAT, 1, &value);
}

Status GraphDescriptor::set_data_type(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
  return set(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}

Status GraphDescriptor::set_handle(cudnnBackendAttributeName_t name, cudnnHandle_t value) {
  return set(name, CUDNN_TYPE_HANDLE, 1, &value);
}

Status GraphDescriptor::set_descriptor(cudnnBackendAttributeName_t name,
                                       const GraphDescriptor& value) {
  const cudnnBackendDescriptor_t raw = value.get();
  return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
}

Status GraphDescriptor::finalize() {
  return cudnn_status(cudnn()->finalize(get()), "cudnnBackendFinalize");
}

Result<int64_t> GraphDescriptor::get_int(cudnnBackendAttributeName_t name) const {
  int64_t count = 0;
  int64_t value = 0;
  TESSERA_CUDNN_RETURN_IF_ERROR(
      cudnn()->get_attribute(get(), name, CUDNN_TYPE_INT64, 1, &count, &value),
      "cudnnBackendGetAttribute");
  return value;
}

Result<GraphDescriptor> make_graph_tensor(const GraphTensor& tensor) {
  TESSERA_ASSIGN_OR_RETURN(GraphDescriptor descriptor,
                           GraphDescriptor::create(CUDNN_BACKEND_TENSOR_DESCRIPTOR));
  TESSERA_RETURN_IF_ERROR(descriptor.set_data_type(CUDNN_ATTR_TENSOR_DATA_TYPE, tensor.type));
  TESSERA_RETURN_IF_ERROR(descriptor.set_ints(CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.extent));
  TESSERA_RETURN_IF_ERROR(descriptor.set_ints(CUDNN_ATTR_TENSOR_STRIDES, tensor.stride));
  TESSERA_RETURN_IF_ERROR(descriptor.set_int(CUDNN_ATTR_TENSOR_UNIQUE_ID, tensor.id));
  TESSERA_RETURN_IF_ERROR(
      descriptor.set_int(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kGraphAlignmentBytes));
  TESSERA_RETURN_IF_ERROR(descriptor.set_bool(CUDNN_ATTR_TENSOR_IS_VIRTUAL, tensor.id < 0));
  TESSERA_RETURN_IF_ERROR(descriptor.finalize());
  return descriptor;
}

namespace {

Result<GraphDescriptor> make_pointwise(cudnnPointwiseMode_t mode) {
  TESSERA_ASSIGN_OR_RETURN(GraphDescriptor pointwise,
                           GraphDescriptor::create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR));
  TESSERA_RETURN_IF_ERROR(
      pointwise.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode));
  TESSERA_RETURN_IF_ERROR(
      pointwise.set_data_type(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT));
  TESSERA_RETURN_IF_ERROR(pointwise.finalize());
  return pointwise;
}

// `b` is null for functions of one operand.
Result<GraphDescriptor> make_pointwise_operation(cudnnPointwiseMode_t mode,
                                                 const GraphDescriptor& x, const GraphDescriptor* b,
                                                 const GraphDescriptor& y) {
  TESSERA_ASSIGN_OR_RETURN(const GraphDescriptor pointwise, make_pointwise(mode));
  TESSERA_ASSIGN_OR_RETURN(GraphDescriptor operation,
                           GraphDescriptor::create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
  TESSERA_RETURN_IF_ERROR(
      operation.set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pointwise));
  TESSERA_RETURN_IF_ERROR(operation.set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x));
  if (b != nullptr) {
    TESSERA_RETURN_IF_ERROR(operation.set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b));
  }
  TESSERA_RETURN_IF_ERROR(operation.set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y));
  TESSERA_RETURN_IF_ERROR(operation.finalize());
  return operation;
}

}  // namespace

Result<GraphDescriptor> make_add_operation(const GraphDescriptor& x, const GraphDescriptor& b,
                                           const GraphDescriptor& y) {
  return make_pointwise_operation(CUDNN_POINTWISE_ADD, x, &b, y);
}

Result<GraphDescriptor> make_relu_operation(const GraphDescriptor& x, const GraphDescriptor& y) {
  return make_pointwise_operation(CUDNN_POINTWISE_RELU_FWD, x, nullptr, y);
}

Result<GraphDescriptor> make_operation_graph(const CudnnHandle& handle,
                                             std::span<const GraphDescriptor> operations) {
  std::vector<cudnnBackendDescriptor_t> raw;
  for (const GraphDescriptor& operation : operations) raw.push_back(operation.get());
  TESSERA_ASSIGN_OR_RETURN(GraphDescriptor graph,
                           GraphDescriptor::create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR));
  TESSERA_RETURN_IF_ERROR(graph.set_handle(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle.get()));
  TESSERA_RETURN_IF_ERROR(graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                    static_cast<int64_t>(raw.size()), raw.data()));
  TESSERA_RETURN_IF_ERROR(graph.finalize());
  return graph;
}

Status execute_plan(const CudnnHandle& handle, const ExecutionPlan& plan,
                    std::span<const int64_t> ids, std::span<void* const> pointers,
                    void* workspace) {
  TESSERA_ASSIGN_OR_RETURN(GraphDescriptor pack,
                           GraphDescriptor::create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
  TESSERA_RETURN_IF_ERROR(pack.set_ints(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids));
  TESSERA_RETURN_IF_ERROR(pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
                                   static_cast<int64_t>(pointers.size()), pointers.data()));
  TESSERA_RETURN_IF_ERROR(
      pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace));
  TESSERA_RETURN_IF_ERROR(pack.finalize());
  TESSERA_CUDNN_RETURN_IF_ERROR(cudnn()->execute(handle.get(), plan.descriptor.get(), pack.get()),
                                "cudnnBackendExecute");
  return {};
}

}  // namespace tessera::cuda
