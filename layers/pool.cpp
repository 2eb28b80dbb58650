// SPDX-License-Identifier: Apache-2.0
//
// MaxPool      Y[n, c, p, q] = the largest element of X[n, c] in the window (p, q)
// AveragePool  Y[n, c, p, q] = the mean over the window, with or without the padding
//
// ONNX: X (N, C, H, W) or (N, C, W).
//   MaxPool      opset 8: second output Indices and storage_order, which orders it;
//                opset 10: dilations and ceil_mode.
//   AveragePool  opset 7: count_include_pad; opset 10: ceil_mode; opset 19: dilations.
// With ceil_mode a window that would begin in the padding at the end is left out.
#include "kernels/problem/pool.h"

#include "layers/inputs.h"
#include "layers/layers.h"
#include "layers/window.h"

namespace tessera {
namespace {

constexpr int kX = 0;

struct PoolAttrs {
  WindowAttrs window;
  bool count_include_pad = false;
  bool has_indices = false;
};

Result<PoolAttrs> parse_max(AttributeReader& reader, const LayerNode& node) {
  PoolAttrs attrs;
  if (node.opset >= 8) reader.ignore("storage_order");
  reader.require("kernel_shape");
  attrs.has_indices = node.opset >= 8 && node.num_outputs > 1;
  TESSERA_ASSIGN_OR_RETURN(attrs.window, parse_window(reader, {.has_dilations = node.opset >= 10,
                                                               .has_ceil_mode = node.opset >= 10}));
  return attrs;
}

Result<PoolAttrs> parse_average(AttributeReader& reader, const LayerNode& node) {
  PoolAttrs attrs;
  reader.require("kernel_shape");
  attrs.count_include_pad = reader.integer("count_include_pad", 0) != 0;
  TESSERA_ASSIGN_OR_RETURN(attrs.window, parse_window(reader, {.has_dilations = node.opset >= 19,
                                                               .has_ceil_mode = node.opset >= 10}));
  return attrs;
}

// A window without any element of X has no maximum and no mean.
Status check_padding(const WindowAxis& axis, const std::string& data) {
  if (axis.pad_begin < axis.reach() && axis.pad_end < axis.reach()) return {};
  return unsupported(data + ": pads of (" + std::to_string(axis.pad_begin) + ", " +
                     std::to_string(axis.pad_end) + ") put a whole window of " +
                     std::to_string(axis.reach()) + " into the padding");
}

Result<std::vector<TensorDesc>> infer(const PoolAttrs& attrs, std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"X"}));
  TESSERA_RETURN_IF_ERROR(in.expect_float32());
  const Shape& x = in.shape(kX);
  TESSERA_ASSIGN_OR_RETURN(
      const Window window,
      resolve_window(attrs.window, attrs.window.kernel_shape, x, in.describe(kX)));
  TESSERA_RETURN_IF_ERROR(check_padding(window.h, in.describe(kX)));
  TESSERA_RETURN_IF_ERROR(check_padding(window.w, in.describe(kX)));
  const Shape shape = window_output_shape(window, x, x[1]);
  std::vector outputs{TensorDesc{in.desc(kX).dtype, shape}};
  if (attrs.has_indices) outputs.push_back({DType::kI64, shape});
  return outputs;
}

template <PoolKind kKind>
Result<Lowering> lower(const PoolAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  const Shape& x = inputs[kX].desc.shape;
  TESSERA_ASSIGN_OR_RETURN(const Window window,
                           resolve_window(attrs.window, attrs.window.kernel_shape, x, "input 'X'"));
  PoolProblem problem;
  problem.kind = kKind;
  problem.dtype = inputs[kX].desc.dtype;
  problem.N = x[0];
  problem.C = x[1];
  problem.count_include_pad = attrs.count_include_pad;
  set_window(window, problem);
  Lowering lowering = Lowering::compute(problem, {kX});
  if (attrs.has_indices) {
    lowering.outputs.emplace_back(
        Lowering::Unavailable{"the positions of the maxima (output 'Indices') are not computed"});
  }
  return lowering;
}

}  // namespace

constinit const LayerDef max_pool_layer =
    make_layer_def<PoolAttrs, parse_max, infer, lower<PoolKind::kMax>>(
        "MaxPool", kOldestOpset, "1 or 2 spatial axes; no Indices");
constinit const LayerDef average_pool_layer =
    make_layer_def<PoolAttrs, parse_average, infer, lower<PoolKind::kAverage>>(
        "AveragePool", 7, "1 or 2 spatial axes");

}  // namespace tessera
