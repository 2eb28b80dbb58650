// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/vendor/cudnn.h"

// cuDNN's graph interface with owners and types: descriptors are objects with attributes,
// operations are joined by the tensors between them, an engine that computes the whole graph
// becomes a plan.

namespace tessera::cuda {

class GraphDescriptor {
 public:
  static Result<GraphDescriptor> create(cudnnBackendDescriptorType_t type);

  [[nodiscard]] cudnnBackendDescriptor_t get() const { return descriptor_.get(); }

  Status set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
             const void* values);
  Status set_int(cudnnBackendAttributeName_t name, int64_t value);
  Status set_ints(cudnnBackendAttributeName_t name, std::span<const int64_t> values);
  Status set_bool(cudnnBackendAttributeName_t name, bool value);
  Status set_float(cudnnBackendAttributeName_t name, float value);
  Status set_data_type(cudnnBackendAttributeName_t name, cudnnDataType_t value);
  Status set_handle(cudnnBackendAttributeName_t name, cudnnHandle_t value);
  Status set_descriptor(cudnnBackendAttributeName_t name, const GraphDescriptor& value);
  Status finalize();

  [[nodiscard]] Result<int64_t> get_int(cudnnBackendAttributeName_t name) const;

 private:
  struct Delete {
    void operator()(void* descriptor) const;
  };
  explicit GraphDescriptor(cudnnBackendDescriptor_t descriptor) : descriptor_(descriptor) {}

  std::unique_ptr<void, Delete> descriptor_;
};

// A tensor of a graph: extents and strides of N, C, H, W (K, C, R, S for weights). One with a
// positive id is memory that is named at execution; a negative one exists only between operations.
struct GraphTensor {
  int64_t id = 0;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::array<int64_t, 4> extent = {};
  std::array<int64_t, 4> stride = {};
};
Result<GraphDescriptor> make_graph_tensor(const GraphTensor& tensor);

// The alignment that plans assume of all memory.
constexpr int64_t kGraphAlignmentBytes = 16;

// y = x + b, with b broadcast along extents of 1, in float32.
Result<GraphDescriptor> make_add_operation(const GraphDescriptor& x, const GraphDescriptor& b,
                                           const GraphDescriptor& y);
// y = max(x, 0), in float32.
Result<GraphDescriptor> make_relu_operation(const GraphDescriptor& x, const GraphDescriptor& y);

// The graph of operations, in order.
Result<GraphDescriptor> make_operation_graph(const CudnnHandle& handle,
                                             std::span<const GraphDescriptor> operations);

// What is asked of an engine.
struct EngineDemands {
  bool strict_float32 = false;  // no tensor cores and no rounding of float32 operands
  // NaN passes through every operation, ReLU too. Where the best engine does not promise that,
  // there is no plan: those that do are slower than a pass of its own for the ReLU.
  bool strict_nan = false;
  int64_t most_workspace_bytes = 0;
};

// A graph with the engine that computes it.
struct ExecutionPlan {
  GraphDescriptor descriptor;
  int64_t workspace_bytes = 0;
};

// The first engine in the order of cuDNN's heuristics that is deterministic, multiplies and adds as
// the problem says (no FFT, no Winograd, sums in float32) and meets the demands. kUnsupported when
// there is none.
Result<ExecutionPlan> make_execution_plan(const CudnnHandle& handle, const GraphDescriptor& graph,
                                          const EngineDemands& demands);

// Enqueues a plan on the handle's stream with memory for the graph's tensors by id.
Status execute_plan(const CudnnHandle& handle, const ExecutionPlan& plan,
                    std::span<const int64_t> ids, std::span<void* const> pointers, void* workspace);

}  // namespace tessera::cuda
