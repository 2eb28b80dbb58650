// SPDX-License-Identifier: Apache-2.0
//
// GlobalMaxPool      Y[n, c] = the largest element of X[n, c]
// GlobalAveragePool  Y[n, c] = the mean of X[n, c]
//
// ONNX: X (N, C, D1, D2, ...) with any number of spatial axes, Y (N, C, 1, 1, ...). The same at
// every opset. Lowered to a pool whose window is the whole image.
#include "kernels/problem/pool.h"
#include "layers/inputs.h"
#include "layers/layers.h"

namespace tessera {
namespace {

constexpr int kX = 0;

struct GlobalPoolAttrs {};

Result<GlobalPoolAttrs> parse(AttributeReader& /*reader*/, const LayerNode& /*node*/) {
  return GlobalPoolAttrs{};
}

Result<std::vector<TensorDesc>> infer(const GlobalPoolAttrs& /*attrs*/,
                                      std::span<const LayerInput> inputs) {
  TESSERA_ASSIGN_OR_RETURN(const Inputs in, Inputs::check(inputs, {"X"}));
  TESSERA_RETURN_IF_ERROR(in.expect_float32());
  Shape shape = in.shape(kX);
  if (shape.rank() < 3) {
    return invalid_model(in.describe(kX) + ": expected (N, C) and at least one spatial axis");
  }
  for (size_t axis = 2; axis < shape.rank(); ++axis) {
    if (shape[axis] == 0) {
      return invalid_model(in.describe(kX) + ": no elements to pool along axis " +
                           std::to_string(axis));
    }
    shape[axis] = 1;
  }
  return std::vector{TensorDesc{in.desc(kX).dtype, shape}};
}

template <PoolKind kKind>
Result<Lowering> lower(const GlobalPoolAttrs& /*attrs*/, std::span<const LayerInput> inputs,
                       std::span<const TensorDesc> /*outputs*/) {
  const Shape& x = inputs[kX].desc.shape;
  PoolProblem problem;
  problem.kind = kKind;
  problem.dtype = inputs[kX].desc.dtype;
  problem.N = x[0];
  problem.C = x[1];
  problem.H = problem.R = x.rank() == 3 ? 1 : x[2];
  problem.W = problem.S = x.num_elements(x.rank() == 3 ? 2 : 3, x.rank());
  problem.P = problem.Q = 1;
  return Lowering::compute(problem, {kX});
}

}  // namespace

constinit const LayerDef global_max_pool_layer =
    make_layer_def<GlobalPoolAttrs, parse, infer, lower<PoolKind::kMax>>("GlobalMaxPool");
constinit const LayerDef global_average_pool_layer =
    make_layer_def<GlobalPoolAttrs, parse, infer, lower<PoolKind::kAverage>>("GlobalAveragePool");

}  // namespace tessera
