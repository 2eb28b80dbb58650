// SPDX-License-Identifier: Apache-2.0
//
// Reshape  reshaped = the elements of data, in their order, under the shape given by `shape`
//
// ONNX: a 0 in shape copies the extent of data at that place, one -1 stands for what is left.
//   opset 14: with allowzero, a 0 is an extent of 0.
#include <algorithm>

#include "core/math.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;
constexpr int kShape = 1;

struct ReshapeAttrs {
  bool allow_zero = false;
};

Result<ReshapeAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  ReshapeAttrs attrs;
  if (node.opset >= 14) attrs.allow_zero = reader.integer("allowzero", 0) != 0;
  return attrs;
}

Status check_requested(const ReshapeAttrs& attrs, const std::vector<int64_t>& requested,
                       const Shape& data) {
  const auto inferred = std::count(requested.begin(), requested.end(), -1);
  if (inferred > 1) return invalid_model("more than one extent is -1");
  for (size_t i = 0; i < requested.size(); ++i) {
    if (requested[i] < -1) return invalid_model("an extent is negative");
    if (requested[i] != 0) continue;
    if (attrs.allow_zero && inferred > 0) {
      return invalid_model("with allowzero = 1, -1 cannot stand beside an extent of 0");
    }
    if (!attrs.allow_zero && i >= data.rank()) {
      return invalid_model("0 at place " + std::to_string(i) +
                           " copies an extent that data does not have");
    }
  }
  return {};
}

// The extent that -1 stands for. Extents that are copied are left out on both sides, so that the
// answer is clear for an empty batch too. Nothing when there is none.
std::optional<int64_t> inferred_extent(const std::vector<int64_t>& requested, const Shape& data) {
  int64_t rest = 1;
  for (size_t axis = 0; axis < data.rank(); ++axis) {
    const bool copied = axis < requested.size() && requested[axis] == 0;
    if (!copied) rest *= data[axis];
  }
  int64_t known = 1;
  for (const int64_t extent : requested) {
    if (extent <= 0) continue;
    const auto product = checked_multiply(known, extent);
    if (!product) return std::nullopt;
    known = *product;
  }
  if (rest % known != 0) return std::nullopt;
  return rest / known;
}

Result<Shape> resolve_shape(const ReshapeAttrs& attrs, const std::vector<int64_t>& requested,
                            const Shape& data) {
  TESSERA_RETURN_IF_ERROR(check_requested(attrs, requested, data));
  Shape shape(requested);
  const auto inferred = inferred_extent(requested, data);
  for (size_t axis = 0; axis < shape.rank(); ++axis) {
    if (requested[axis] == 0 && !attrs.allow_zero) shape[axis] = data[axis];
    if (requested[axis] == -1) {
      if (!inferred) return invalid_model("no value for -1 gives as many elements");
      shape[axis] = *inferred;
    }
  }
  const auto count = shape.checked_num_elements();
  if (!count || *count != data.num_elements()) {
    return invalid_model("data has " + std::to_string(data.num_elements()) +
                         " elements, the shape " + shape.to_string() + " has " +
                         (count ? std::to_string(*count) : "more than 64 bits can count"));
  }
  return shape;
}

Result<std::vector<TensorDesc>> infer(const ReshapeAttrs& attrs,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"data", "shape"}));
  TESSERA_RETURN_IF_ERROR(in.expect_rank(kShape, 1));
  TESSERA_ASSIGN_OR_RETURN(const auto requested, in.constant_integers(kShape));
  const Result<Shape> shape = resolve_shape(attrs, requested, in.shape(kData));
  if (!shape.ok()) {
    return shape.status().with_context("reshaping " + in.describe(kData) + " to " +
                                       Shape(requested).to_string());
  }
  return std::vector{TensorDesc{in.desc(kData).dtype, *shape}};
}

Result<Lowering> lower(const ReshapeAttrs& /*attrs*/, std::span<const LayerInput> /*inputs*/,
                       std::span<const TensorDesc> /*outputs*/) {
  return Lowering::alias(kData);
}

}  // namespace

constinit const LayerDef reshape_layer = make_layer_def<ReshapeAttrs, parse, infer, lower>(
    "Reshape", kOldestOpset, "the shape must be a constant");

}  // namespace tessera
