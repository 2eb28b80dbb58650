// SPDX-License-Identifier: Apache-2.0
//
// Gather  output = data with the axis `axis` replaced by the axes of indices: for axis 0,
//         output[i, j, ...] = data[indices[i, j], ...]
//
// ONNX: indices int32 or int64; a negative index counts from the end (opset 11, taken at every
// opset here). Indices that are constants are checked here, others when the kernel runs.
#include "kernels/problem/data_movement.h"
#include "layers/axes.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;
constexpr int kIndices = 1;

struct GatherAttrs {
  int64_t axis = 0;
};

Result<GatherAttrs> parse(AttributeReader& reader, const LayerNode& /*node*/) {
  return GatherAttrs{reader.integer("axis", 0)};
}

Status check_range(const Tensor& indices, int64_t extent, const std::string& data) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> values, elements_as_int64(indices));
  for (const int64_t value : values) {
    if (value < -extent || value >= extent) {
      return invalid_model("index " + std::to_string(value) + " is out of range for the " +
                           std::to_string(extent) + " elements along the axis of " + data);
    }
  }
  return {};
}

Result<std::vector<TensorDesc>> infer(const GatherAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"data", "indices"}));
  const std::vector<int64_t>& data = in.shape(kData).extents();
  TESSERA_ASSIGN_OR_RETURN(const size_t axis,
                           resolve_axis(attrs.axis, data.size(), in.describe(kData)));
  const DType index_dtype = in.desc(kIndices).dtype;
  if (index_dtype != DType::kI32 && index_dtype != DType::kI64) {
    return invalid_model(in.describe(kIndices) + ": expected int32 or int64");
  }
  if (inputs[kIndices].constant != nullptr) {
    TESSERA_RETURN_IF_ERROR(
        check_range(*inputs[kIndices].constant, data[axis], in.describe(kData)));
  }
  const auto cut = data.begin() + static_cast<int64_t>(axis);
  std::vector<int64_t> shape(data.begin(), cut);
  const std::vector<int64_t>& indices = in.shape(kIndices).extents();
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), cut + 1, data.end());
  return std::vector{TensorDesc{in.desc(kData).dtype, Shape(std::move(shape))}};
}

Result<Lowering> lower(const GatherAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  const Shape& data = inputs[kData].desc.shape;
  const size_t axis = *normalize_axis(attrs.axis, data.rank());
  GatherProblem problem;
  problem.dtype = inputs[kData].desc.dtype;
  problem.index_dtype = inputs[kIndices].desc.dtype;
  problem.outer = data.num_elements(0, axis);
  problem.axis = data[axis];
  problem.inner = data.num_elements(axis + 1, data.rank());
  problem.index_count = inputs[kIndices].desc.num_elements();
  return Lowering::compute(problem, {kData, kIndices});
}

}  // namespace

constinit const LayerDef gather_layer = make_layer_def<GatherAttrs, parse, infer, lower>("Gather");

}  // namespace tessera
