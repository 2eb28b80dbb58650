// SPDX-License-Identifier: Apache-2.0
//
// Conv  Y[n, k, p, q] = B[k] + sum over c, r, s of X[n, c, p * stride + r * dilation - pad, ...]
//                                                  * W[k, c, r, s]
//
// ONNX: X (N, C, H, W) or (N, C, W), W (K, C / group, R, S), optional B (K). The kernel shape is
// that of W; the attribute kernel_shape may repeat it. Opsets 11 and 22 only reworded defaults and
// added element types.
#include "kernels/problem/conv.h"

#include "layers/inputs.h"
#include "layers/layers.h"
#include "layers/window.h"

namespace tessera {
namespace {

constexpr int kX = 0;
constexpr int kW = 1;
constexpr int kB = 2;

struct ConvAttrs {
  WindowAttrs window;
  int64_t group = 1;
};

Result<ConvAttrs> parse(AttributeReader& reader, const LayerNode& /*node*/) {
  ConvAttrs attrs;
  attrs.group = reader.integer("group", 1);
  TESSERA_ASSIGN_OR_RETURN(attrs.window, parse_window(reader, {.has_dilations = true}));
  return attrs;
}

// The extents of W after the channels. Requires: rank >= 2.
std::vector<int64_t> kernel_extents(const Shape& weights) {
  return {weights.extents().begin() + 2, weights.extents().end()};
}

Status check_channels(const ConvAttrs& attrs, const Inputs& in) {
  const Shape& x = in.shape(kX);
  const Shape& w = in.shape(kW);
  const int64_t group = attrs.group;
  if (group < 1 || x[1] % group != 0 || w[0] % group != 0) {
    return invalid_model("group = " + std::to_string(group) + " does not divide the channels of " +
                         in.describe(kX) + " and the first extent of " + in.describe(kW));
  }
  if (w[1] != x[1] / group) {
    return invalid_model(in.describe(kW) + ": expected " + std::to_string(x[1] / group) +
                         " channels, those of " + in.describe(kX) +
                         " divided by group = " + std::to_string(group));
  }
  return in.has(kB) ? in.expect_shape(kB, {w[0]}) : Status();
}

Result<std::vector<TensorDesc>> infer(const ConvAttrs& attrs, std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"X", "W"}, {"B"}));
  TESSERA_RETURN_IF_ERROR(in.expect_float32());
  const Shape& x = in.shape(kX);
  if (x.rank() < 3) {
    return invalid_model(in.describe(kX) + ": expected (N, C, W) or (N, C, H, W)");
  }
  TESSERA_RETURN_IF_ERROR(in.expect_rank(kW, x.rank()));
  TESSERA_RETURN_IF_ERROR(check_channels(attrs, in));
  const std::vector<int64_t> kernel = kernel_extents(in.shape(kW));
  if (!attrs.window.kernel_shape.empty() && attrs.window.kernel_shape != kernel) {
    return invalid_model("attribute 'kernel_shape' " +
                         Shape(attrs.window.kernel_shape).to_string() +
                         " contradicts the extents of " + in.describe(kW));
  }
  TESSERA_ASSIGN_OR_RETURN(const Window window,
                           resolve_window(attrs.window, kernel, x, in.describe(kX)));
  return std::vector{
      TensorDesc{in.desc(kX).dtype, window_output_shape(window, x, in.shape(kW)[0])}};
}

Result<Lowering> lower(const ConvAttrs& attrs, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  const Shape& x = inputs[kX].desc.shape;
  const Shape& w = inputs[kW].desc.shape;
  TESSERA_ASSIGN_OR_RETURN(const Window window,
                           resolve_window(attrs.window, kernel_extents(w), x, "input 'X'"));
  ConvProblem problem;
  problem.dtype = inputs[kX].desc.dtype;
  problem.N = x[0];
  problem.C = x[1];
  problem.K = w[0];
  problem.groups = attrs.group;
  problem.epilogue.has_bias = inputs.size() > kB && inputs[kB].present;
  set_window(window, problem);
  return Lowering::compute(problem, {kX, kW, problem.epilogue.has_bias ? kB : -1, -1});
}

}  // namespace

constinit const LayerDef conv_layer =
    make_layer_def<ConvAttrs, parse, infer, lower>("Conv", kOldestOpset, "1 or 2 spatial axes");

}  // namespace tessera
