// SPDX-License-Identifier: Apache-2.0
#include "layers/window.h"

#include <algorithm>
#include <limits>

#include "core/math.h"

namespace tessera {
namespace {

// Bound of every extent, stride, dilation and pad: with it no sum or product below can overflow,
// and kernels may keep them in 32 bits.
constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

Status check_list(const char* name, const std::vector<int64_t>& values, size_t length,
                  int64_t smallest) {
  if (values.empty()) return {};
  const Shape list(values);
  if (values.size() != length) {
    return invalid_model("attribute '" + std::string(name) + "' " + list.to_string() +
                         ": expected " + std::to_string(length) + " values");
  }
  for (const int64_t value : values) {
    if (value < smallest || value > kLargest) {
      return invalid_model("attribute '" + std::string(name) + "' " + list.to_string() +
                           ": expected values from " + std::to_string(smallest) + " to " +
                           std::to_string(kLargest));
    }
  }
  return {};
}

// Pads so that out = ceil(in / stride). An odd total leaves one more at the end for SAME_UPPER and
// at the begin for SAME_LOWER.
void pad_to_same(WindowAxis& axis, bool upper) {
  axis.out = ceil_div(axis.in, axis.stride);
  const int64_t total = std::max<int64_t>(0, (axis.out - 1) * axis.stride + axis.reach() - axis.in);
  axis.pad_begin = upper ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

// The number of windows that fit into the padded input. With ceil_mode a last one may reach past
// the padding, if it begins in the input or in the padding before it.
int64_t count_windows(const WindowAxis& axis, bool ceil_mode) {
  const int64_t room = axis.in + axis.pad_begin + axis.pad_end - axis.reach();
  if (!ceil_mode) return room < 0 ? 0 : room / axis.stride + 1;
  if (room <= -axis.stride) return 0;
  const int64_t windows = room <= 0 ? 1 : ceil_div(room, axis.stride) + 1;
  return std::min(windows, ceil_div(axis.in + axis.pad_begin, axis.stride));
}

// Fills pads and out of an axis whose other fields are set; `begin` and `end` are the values of the
// attribute pads.
Status place_windows(const WindowAttrs& attrs, int64_t begin, int64_t end, WindowAxis& axis) {
  if (attrs.auto_pad == AutoPad::kNotSet) {
    axis.pad_begin = begin;
    axis.pad_end = end;
  } else if (attrs.auto_pad != AutoPad::kValid) {
    pad_to_same(axis, attrs.auto_pad == AutoPad::kSameUpper);
  }
  const bool pads_differ = begin != axis.pad_begin || end != axis.pad_end;
  if (pads_differ && (begin != 0 || end != 0)) {
    return invalid_model("attribute 'pads' asks for (" + std::to_string(begin) + ", " +
                         std::to_string(end) + ") where auto_pad gives (" +
                         std::to_string(axis.pad_begin) + ", " + std::to_string(axis.pad_end) +
                         "): only one of the two may be given");
  }
  const bool same = attrs.auto_pad == AutoPad::kSameUpper || attrs.auto_pad == AutoPad::kSameLower;
  if (same) return {};
  axis.out = count_windows(axis, attrs.ceil_mode);
  // The text of the ONNX specification rounds down here, its own shape inference rounds up.
  if (attrs.auto_pad == AutoPad::kValid && axis.out != count_windows(axis, false)) {
    return unsupported(
        "auto_pad VALID with ceil_mode = 1 has no agreed output size here; use explicit pads");
  }
  return {};
}

Status check_lists(const WindowAttrs& attrs, const std::vector<int64_t>& kernel, size_t axes) {
  TESSERA_RETURN_IF_ERROR(check_list("kernel_shape", kernel, axes, 1));
  TESSERA_RETURN_IF_ERROR(check_list("strides", attrs.strides, axes, 1));
  TESSERA_RETURN_IF_ERROR(check_list("dilations", attrs.dilations, axes, 1));
  return check_list("pads", attrs.pads, 2 * axes, 0);
}

Result<WindowAxis> resolve_axis_window(const WindowAttrs& attrs, int64_t in, int64_t kernel,
                                       size_t index, size_t axes) {
  WindowAxis axis;
  axis.in = in;
  axis.kernel = kernel;
  if (!attrs.strides.empty()) axis.stride = attrs.strides[index];
  if (!attrs.dilations.empty()) axis.dilation = attrs.dilations[index];
  const int64_t begin = attrs.pads.empty() ? 0 : attrs.pads[index];
  const int64_t end = attrs.pads.empty() ? 0 : attrs.pads[axes + index];
  if (in < 1 || in > kLargest) {
    return invalid_model("a spatial extent of " + std::to_string(in) + " holds no window");
  }
  if (axis.reach() > kLargest) {
    return invalid_model("kernel_shape " + std::to_string(kernel) + " with dilation " +
                         std::to_string(axis.dilation) + " reaches further than " +
                         std::to_string(kLargest));
  }
  TESSERA_RETURN_IF_ERROR(place_windows(attrs, begin, end, axis));
  if (axis.out < 1) {
    return invalid_model("a window reaching over " + std::to_string(axis.reach()) +
                         " elements does not fit into the padded extent " +
                         std::to_string(in + axis.pad_begin + axis.pad_end));
  }
  return axis;
}

}  // namespace

Result<WindowAttrs> parse_window(AttributeReader& reader, WindowRules rules) {
  WindowAttrs attrs;
  attrs.kernel_shape = reader.integers("kernel_shape");
  attrs.strides = reader.integers("strides");
  attrs.pads = reader.integers("pads");
  if (rules.has_dilations) attrs.dilations = reader.integers("dilations");
  if (rules.has_ceil_mode) attrs.ceil_mode = reader.integer("ceil_mode", 0) != 0;
  const std::string auto_pad = reader.text("auto_pad", "NOTSET");
  if (auto_pad == "VALID") {
    attrs.auto_pad = AutoPad::kValid;
  } else if (auto_pad == "SAME_UPPER") {
    attrs.auto_pad = AutoPad::kSameUpper;
  } else if (auto_pad == "SAME_LOWER") {
    attrs.auto_pad = AutoPad::kSameLower;
  } else if (auto_pad != "NOTSET" && !auto_pad.empty()) {
    return invalid_model("attribute 'auto_pad' is '" + auto_pad +
                         "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  return attrs;
}

Result<Window> resolve_window(const WindowAttrs& attrs, const std::vector<int64_t>& kernel,
                              const Shape& shape, const std::string& data) {
  if (shape.rank() < 3) {
    return invalid_model(data + ": expected (N, C, W) or (N, C, H, W)");
  }
  const size_t axes = shape.rank() - 2;
  if (axes > 2) {
    return unsupported(data + ": " + std::to_string(axes) +
                       " spatial axes; kernels exist for 1 and 2");
  }
  if (kernel.empty()) return invalid_model("the required attribute 'kernel_shape' is missing");
  TESSERA_RETURN_IF_ERROR(check_lists(attrs, kernel, axes));
  Window window;
  for (size_t i = 0; i < axes; ++i) {
    Result<WindowAxis> axis = resolve_axis_window(attrs, shape[i + 2], kernel[i], i, axes);
    if (!axis.ok()) return axis.status().with_context(data + ", axis " + std::to_string(i + 2));
    (i + 1 == axes ? window.w : window.h) = *axis;
  }
  return window;
}

Shape window_output_shape(const Window& window, const Shape& input, int64_t channels) {
  if (input.rank() == 3) return {input[0], channels, window.w.out};
  return {input[0], channels, window.h.out, window.w.out};
}

}  // namespace tessera
