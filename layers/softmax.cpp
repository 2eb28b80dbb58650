// SPDX-License-Identifier: Apache-2.0
//
// Softmax     output = exp(input) / sum(exp(input)) along an axis
// LogSoftmax  output = log(softmax(input))
//
// ONNX: inputs `input`, outputs `output` of the same shape.
//   opset 13: the sum runs over the one dimension `axis`, by default the last.
//   before:   the input is seen as a matrix with the dimensions from `axis` on as its rows, and the
//             sum runs over a whole row; `axis` is 1 by default.
#include "kernels/problem/softmax.h"

#include "layers/axes.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kInput = 0;

struct SoftmaxAttrs {
  int64_t axis = -1;
  bool coerce_to_matrix = false;  // the rule before opset 13
};

Result<SoftmaxAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  SoftmaxAttrs attrs;
  attrs.coerce_to_matrix = node.opset < 13;
  attrs.axis = reader.integer("axis", attrs.coerce_to_matrix ? 1 : -1);
  return attrs;
}

Result<std::vector<TensorDesc>> infer(const SoftmaxAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"input"}));
  TESSERA_RETURN_IF_ERROR(in.expect_float32());
  const size_t rank = in.shape(kInput).rank();
  TESSERA_RETURN_IF_ERROR(resolve_axis(attrs.axis, rank, in.describe(kInput)).status());
  return std::vector{in.desc(kInput)};
}

template <bool kLog>
Result<Lowering> lower(const SoftmaxAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  const TensorDesc& src = inputs[kInput].desc;
  const size_t rank = src.shape.rank();
  const size_t axis = *normalize_axis(attrs.axis, rank);
  const size_t end = attrs.coerce_to_matrix ? rank : axis + 1;

  SoftmaxProblem problem;
  problem.dtype = src.dtype;
  problem.outer = src.shape.num_elements(0, axis);
  problem.axis = src.shape.num_elements(axis, end);
  problem.inner = src.shape.num_elements(end, rank);
  problem.log = kLog;
  return Lowering::compute(problem, {kInput});
}

}  // namespace

constinit const LayerDef softmax_layer =
    make_layer_def<SoftmaxAttrs, parse, infer, lower<false>>("Softmax");
constinit const LayerDef log_softmax_layer =
    make_layer_def<SoftmaxAttrs, parse, infer, lower<true>>("LogSoftmax");

}  // namespace tessera
