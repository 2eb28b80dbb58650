// SPDX-License-Identifier: Apache-2.0
//
// Add, Sub, Mul, Div  C = A (op) B, element by element
//
// ONNX: from opset 7 on the shapes are broadcast by numpy's rules; before, only as the attributes
// `broadcast` and `axis` told. Later opsets added element types. int32 and int64 are there for the
// arithmetic that exporters do on shapes.
#include <algorithm>

#include "kernels/problem/elementwise.h"
#include "layers/broadcast.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kA = 0;
constexpr int kB = 1;

struct BinaryAttrs {};

Result<BinaryAttrs> parse(AttributeReader& /*reader*/, const LayerNode& /*node*/) {
  return BinaryAttrs{};
}

Result<std::vector<TensorDesc>> infer(const BinaryAttrs& /*attrs*/,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"A", "B"}));
  TESSERA_RETURN_IF_ERROR(in.expect_same_dtype());
  const DType dtype = in.desc(kA).dtype;
  if (dtype != DType::kF32 && dtype != DType::kI32 && dtype != DType::kI64) {
    return unsupported(in.describe(kA) + ": only float32, int32 and int64 are computed yet");
  }
  const auto shape = broadcast_shapes(in.shape(kA), in.shape(kB));
  if (!shape) {
    return invalid_model(in.describe(kA) + " and " + in.describe(kB) +
                         " do not broadcast to a common shape");
  }
  return std::vector{TensorDesc{dtype, *shape}};
}

template <BinaryKind kKind>
Result<Lowering> lower(const BinaryAttrs& /*attrs*/, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  BroadcastDims dims = collapse_broadcast(inputs[kA].desc.shape, inputs[kB].desc.shape);
  if (dims.extent.empty()) dims = {{1}, {1}, {1}};  // a single element
  if (dims.extent.size() > BinaryProblem::kMaxRank) {
    return unsupported("broadcasting " + inputs[kA].desc.to_string() + " and " +
                       inputs[kB].desc.to_string() + " takes more than " +
                       std::to_string(BinaryProblem::kMaxRank) + " dimensions");
  }
  BinaryProblem problem;
  problem.kind = kKind;
  problem.dtype = inputs[kA].desc.dtype;
  problem.rank = static_cast<int>(dims.extent.size());
  std::copy(dims.extent.begin(), dims.extent.end(), problem.extent.begin());
  std::copy(dims.stride_a.begin(), dims.stride_a.end(), problem.stride_a.begin());
  std::copy(dims.stride_b.begin(), dims.stride_b.end(), problem.stride_b.begin());
  return Lowering::compute(problem, {kA, kB});
}

template <BinaryKind kKind>
constexpr LayerDef binary_def(std::string_view op_type) {
  return make_layer_def<BinaryAttrs, parse, infer, lower<kKind>>(op_type, 7,
                                                                 "float32, int32, int64");
}

}  // namespace

constinit const LayerDef add_layer = binary_def<BinaryKind::kAdd>("Add");
constinit const LayerDef sub_layer = binary_def<BinaryKind::kSub>("Sub");
constinit const LayerDef mul_layer = binary_def<BinaryKind::kMul>("Mul");
constinit const LayerDef div_layer = binary_def<BinaryKind::kDiv>("Div");

}  // namespace tessera
