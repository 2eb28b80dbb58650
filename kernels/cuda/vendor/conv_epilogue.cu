// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/epilogue.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/vector.cuh"
#include "kernels/cuda/vendor/conv_epilogue.h"

namespace tessera::cuda {
namespace {

// product is null when it lies in dst; bias and residual are null when the epilogue has none.
template <typename T>
struct EpilogueOperands {
  const float* product;
  const T* bias;
  const T* residual;
  T* dst;
};

// Element i of dst, as it lies in memory, belongs to channel i / channel_stride % channels.
template <typename T, ActivationKind kActivation>
__global__ void conv_epilogue_kernel(EpilogueOperands<T> g, Activation activation,
                                     int64_t channel_stride, int64_t channels, int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    float x = g.product != nullptr ? g.product[i] : to_float(g.dst[i]);
    if (g.bias != nullptr) x += to_float(g.bias[i / channel_stride % channels]);
    if (g.residual != nullptr) x += to_float(g.residual[i]);
    g.dst[i] = from_float<T>(activate<kActivation>(x, activation));
  }
}

}  // namespace

Status launch_conv_epilogue(const ConvProblem& p, const float* product, const Operands& operands,
                            Stream& stream) {
  const Epilogue& epilogue = p.epilogue;
  if (product == nullptr && epilogue == Epilogue{}) return {};
  const int64_t count = p.N * p.K * p.P * p.Q;
  const int64_t channel_stride = p.dst_layout == Layout::kNHWC ? 1 : p.P * p.Q;
  return dispatch_float(p.dtype, [&]<typename T>() {
    const EpilogueOperands<T> g = {
        product, epilogue.has_bias ? input<T>(operands, ConvProblem::kBias) : nullptr,
        epilogue.has_residual ? input<T>(operands, ConvProblem::kResidual) : nullptr,
        output<T>(operands)};
    return dispatch_activation(epilogue.activation.kind, [&]<ActivationKind kActivation>() {
      return launch(conv_epilogue_kernel<T, kActivation>, elementwise_blocks(count),
                    kElementwiseThreads, 0, stream, g, epilogue.activation, channel_stride, p.K,
                    count);
    });
  });
}

}  // namespace tessera::cuda
