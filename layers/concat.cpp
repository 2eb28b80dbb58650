// SPDX-License-Identifier: Apache-2.0
//
// Concat  concat_result = the inputs one after the other along `axis`
//
// ONNX: any number of inputs of one type, equal in all other extents. Opset 11 allows a negative
// axis, which is taken at every opset here.
#include <utility>

#include "core/math.h"
#include "kernels/problem/data_movement.h"
#include "layers/axes.h"
#include "layers/layers.h"

namespace tessera {
namespace {

struct ConcatAttrs {
  int64_t axis = 0;
};

Result<ConcatAttrs> parse(AttributeReader& reader, const LayerNode& /*node*/) {
  reader.require("axis");
  return ConcatAttrs{reader.integer("axis", 0)};
}

std::string describe(std::span<const LayerInput> inputs, size_t index) {
  return "input " + std::to_string(index) + " " + inputs[index].desc.to_string();
}

// Whether input `index` can follow input 0 along `axis`.
Status check_input(std::span<const LayerInput> inputs, size_t index, size_t axis) {
  if (!inputs[index].present) {
    return invalid_model("input " + std::to_string(index) + " is missing");
  }
  const TensorDesc& first = inputs[0].desc;
  TensorDesc expected = inputs[index].desc;
  if (expected.shape.rank() == first.shape.rank()) expected.shape[axis] = first.shape[axis];
  if (expected == first) return {};
  return invalid_model(describe(inputs, index) + " does not fit to " + describe(inputs, 0) +
                       ": expected the same type and the same extents except along axis " +
                       std::to_string(axis));
}

Result<std::vector<TensorDesc>> infer(const ConcatAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  if (inputs.empty() || !inputs[0].present) return invalid_model("input 0 is missing");
  TensorDesc result = inputs[0].desc;
  TESSERA_ASSIGN_OR_RETURN(const size_t axis,
                           resolve_axis(attrs.axis, result.shape.rank(), describe(inputs, 0)));
  for (size_t i = 1; i < inputs.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(check_input(inputs, i, axis));
    const auto extent = checked_add(result.shape[axis], inputs[i].desc.shape[axis]);
    if (!extent)
      return out_of_memory("the extents along axis " + std::to_string(axis) +
                           " add up to more than 64 bits");
    result.shape[axis] = *extent;
  }
  return std::vector{result};
}

Result<Lowering> lower(const ConcatAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  if (inputs.size() == 1) return Lowering::alias(0);
  const Shape& first = inputs[0].desc.shape;
  const size_t axis = *normalize_axis(attrs.axis, first.rank());
  ConcatProblem problem;
  problem.dtype = inputs[0].desc.dtype;
  problem.outer = first.num_elements(0, axis);
  problem.inner = first.num_elements(axis + 1, first.rank());
  std::vector<int> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    problem.axis_extents.push_back(inputs[i].desc.shape[axis]);
    operands.push_back(static_cast<int>(i));
  }
  return Lowering::compute(std::move(problem), std::move(operands));
}

}  // namespace

constinit const LayerDef concat_layer = make_layer_def<ConcatAttrs, parse, infer, lower>("Concat");

}  // namespace tessera
