// SPDX-License-Identifier: Apache-2.0
//
// Slice  output = data[starts:ends:steps] along `axes`, as numpy
//
// ONNX: starts and ends count from the end when negative and are clamped to the extent; axes are
// all by default, steps 1.
//   opset 10: starts, ends, axes and steps are inputs.
//   before:   starts, ends and axes are attributes.
// Exporters write it for arithmetic on shapes: a slice of a constant is a constant, a slice that
// takes everything is its input, anything else has no kernel.
#include <algorithm>
#include <cstring>

#include "layers/axes.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kData = 0;
constexpr int kStarts = 1;
constexpr int kEnds = 2;
constexpr int kAxes = 3;
constexpr int kSteps = 4;

struct SliceAttrs {
  std::vector<int64_t> starts, ends, axes;
  bool has_axes = false;
  bool are_inputs = false;
};

Result<SliceAttrs> parse(AttributeReader& reader, const LayerNode& node) {
  SliceAttrs attrs;
  attrs.are_inputs = node.opset >= 10;
  if (attrs.are_inputs) return attrs;
  reader.require("starts");
  reader.require("ends");
  attrs.starts = reader.integers("starts");
  attrs.ends = reader.integers("ends");
  attrs.has_axes = reader.has("axes");
  attrs.axes = reader.integers("axes");
  return attrs;
}

// The part of one axis: `count` elements from `start` on, `step` apart.
struct Range {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

struct SliceLists {
  std::vector<int64_t> starts, ends, axes, steps;
};

Result<SliceLists> read_lists(const SliceAttrs& attrs, const Inputs& in) {
  SliceLists lists = {attrs.starts, attrs.ends, attrs.axes, {}};
  bool has_axes = attrs.has_axes;
  if (attrs.are_inputs) {
    TESSERA_ASSIGN_OR_RETURN(lists.starts, in.constant_integers(kStarts));
    TESSERA_ASSIGN_OR_RETURN(lists.ends, in.constant_integers(kEnds));
    has_axes = in.has(kAxes);
    if (has_axes) {
      TESSERA_ASSIGN_OR_RETURN(lists.axes, in.constant_integers(kAxes));
    }
  }
  if (!has_axes) {
    for (size_t i = 0; i < lists.starts.size(); ++i) lists.axes.push_back(static_cast<int64_t>(i));
  }
  lists.steps.assign(lists.starts.size(), 1);
  if (attrs.are_inputs && in.has(kSteps)) {
    TESSERA_ASSIGN_OR_RETURN(lists.steps, in.constant_integers(kSteps));
  }
  const size_t count = lists.starts.size();
  if (lists.ends.size() != count || lists.axes.size() != count || lists.steps.size() != count) {
    return invalid_model(
        "starts, ends, axes and steps have different lengths: " + std::to_string(count) + ", " +
        std::to_string(lists.ends.size()) + ", " + std::to_string(lists.axes.size()) + ", " +
        std::to_string(lists.steps.size()));
  }
  return lists;
}

// Requires: extent >= 0, step != 0. Values are clamped before any arithmetic that could overflow.
Range clamp_range(int64_t start, int64_t end, int64_t step, int64_t extent) {
  const int64_t lowest = step > 0 ? 0 : -1;
  const int64_t highest = step > 0 ? extent : extent - 1;
  const auto clamp = [&](int64_t value, int64_t low) {
    if (value < 0) value = value < -extent ? -1 - extent : value;
    if (value < 0) value += extent;
    return std::max(low, std::min(value, highest));
  };
  Range range;
  range.step = step;
  if (extent == 0) return range;
  range.start = clamp(start, 0);
  const int64_t distance = clamp(end, lowest) - range.start;
  if (step > 0 && distance > 0) range.count = (distance - 1) / step + 1;
  if (step < 0 && distance < 0) range.count = (distance + 1) / step + 1;
  return range;
}

Result<std::vector<Range>> resolve_ranges(const SliceAttrs& attrs,
                                          std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(
      const Inputs in, attrs.are_inputs
                           ? Inputs::check(inputs, {"data", "starts", "ends"}, {"axes", "steps"})
                           : Inputs::check(inputs, {"data"}));
  TESSERA_ASSIGN_OR_RETURN(const SliceLists lists, read_lists(attrs, in));
  const Shape& data = in.shape(kData);
  TESSERA_RETURN_IF_ERROR(resolve_axes(lists.axes, data.rank(), in.describe(kData)).status());
  std::vector<Range> ranges(data.rank());
  for (size_t axis = 0; axis < data.rank(); ++axis) ranges[axis].count = data[axis];
  for (size_t i = 0; i < lists.axes.size(); ++i) {
    const size_t axis = *normalize_axis(lists.axes[i], data.rank());
    if (lists.steps[i] == 0) {
      return invalid_model("the step along axis " + std::to_string(axis) + " of " +
                           in.describe(kData) + " is 0");
    }
    ranges[axis] = clamp_range(lists.starts[i], lists.ends[i], lists.steps[i], data[axis]);
  }
  return ranges;
}

Result<std::vector<TensorDesc>> infer(const SliceAttrs& attrs, std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Range> ranges, resolve_ranges(attrs, inputs));
  TensorDesc result = inputs[kData].desc;
  for (size_t axis = 0; axis < ranges.size(); ++axis) result.shape[axis] = ranges[axis].count;
  return std::vector{result};
}

// Requires: dst is allocated with the extents of `ranges`.
void copy_slice(const Tensor& src, const std::vector<Range>& ranges, Tensor& dst) {
  const std::vector<int64_t> strides = src.shape().row_major_strides();
  const size_t bytes = dtype_size_bytes(src.dtype());
  const auto* from = static_cast<const std::byte*>(src.data());
  auto* to = static_cast<std::byte*>(dst.mutable_data());
  for (int64_t element = 0; element < dst.num_elements(); ++element) {
    int64_t rest = element;
    int64_t at = 0;
    for (size_t axis = ranges.size(); axis-- > 0;) {
      const Range& range = ranges[axis];
      at += (range.start + rest % range.count * range.step) * strides[axis];
      rest /= range.count;
    }
    std::memcpy(to + static_cast<size_t>(element) * bytes, from + static_cast<size_t>(at) * bytes,
                bytes);
  }
}

Result<Lowering> lower(const SliceAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> outputs) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Range> ranges, resolve_ranges(attrs, inputs));
  const TensorDesc& src = inputs[kData].desc;
  const bool forward = std::all_of(ranges.begin(), ranges.end(),
                                   [](const Range& r) { return r.step > 0 || r.count <= 1; });
  if (outputs[0] == src && forward) return Lowering::alias(kData);
  if (inputs[kData].constant == nullptr) {
    return unsupported("slicing " + src.to_string() + " to " + outputs[0].to_string() +
                       ": there is no kernel for it; only constants are sliced");
  }
  TESSERA_ASSIGN_OR_RETURN(Tensor value, Tensor::allocate(outputs[0]));
  copy_slice(*inputs[kData].constant, ranges, value);
  return Lowering::constant(std::move(value));
}

}  // namespace

constinit const LayerDef slice_layer = make_layer_def<SliceAttrs, parse, infer, lower>(
    "Slice", kOldestOpset, "of constants only, for arithmetic on shapes");

}  // namespace tessera
