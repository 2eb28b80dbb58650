// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/activation.h"
#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"
#include "kernels/reference/layout_offset.h"

namespace tessera::reference {
namespace {

Support supports(const ConvProblem& problem, const DeviceInfo&) {
  return supports_float(problem.dtype);
}

// Sum of src * weights over the window of output element (n, k, p, q).
template <typename T>
double window_sum(const ConvProblem& problem, const ImageTensor& src_tensor, const T* src,
                  const T* weights, int64_t n, int64_t k, int64_t p, int64_t q) {
  const int64_t group_channels = problem.C / problem.groups;
  const int64_t first_channel = k / (problem.K / problem.groups) * group_channels;
  double sum = 0.0;
  for (int64_t c = 0; c < group_channels; ++c) {
    for (int64_t r = 0; r < problem.R; ++r) {
      const int64_t h = p * problem.stride_h - problem.pad_top + r * problem.dilation_h;
      if (h < 0 || h >= problem.H) continue;
      for (int64_t s = 0; s < problem.S; ++s) {
        const int64_t w = q * problem.stride_w - problem.pad_left + s * problem.dilation_w;
        if (w < 0 || w >= problem.W) continue;
        const double weight = weights[((k * group_channels + c) * problem.R + r) * problem.S + s];
        sum += weight * src[src_tensor.offset(n, first_channel + c, h, w)];
      }
    }
  }
  return sum;
}

template <typename T>
void conv(const ConvProblem& problem, const Operands& operands) {
  const T* src = input<T>(operands, ConvProblem::kSrc);
  const T* weights = input<T>(operands, ConvProblem::kWeights);
  const T* bias = input<T>(operands, ConvProblem::kBias);
  const T* residual = input<T>(operands, ConvProblem::kResidual);
  T* dst = output<T>(operands);
  const Epilogue& epilogue = problem.epilogue;
  const ImageTensor src_tensor{problem.src_layout, problem.N, problem.C, problem.H, problem.W};
  const ImageTensor dst_tensor{problem.dst_layout, problem.N, problem.K, problem.P, problem.Q};
  for (int64_t n = 0; n < problem.N; ++n) {
    for (int64_t k = 0; k < problem.K; ++k) {
      for (int64_t p = 0; p < problem.P; ++p) {
        for (int64_t q = 0; q < problem.Q; ++q) {
          const int64_t at = dst_tensor.offset(n, k, p, q);
          double value = window_sum(problem, src_tensor, src, weights, n, k, p, q);
          if (epilogue.has_bias) value += bias[k];
          if (epilogue.has_residual) value += residual[at];
          dst[at] = static_cast<T>(apply_activation(epilogue.activation, value));
        }
      }
    }
  }
  zero_channel_padding(dst, dst_tensor);
}

Status launch(const ConvProblem& problem, const Operands& operands, Stream&) {
  visit_float(problem.dtype,
              [&]<typename T>(std::type_identity<T>) { conv<T>(problem, operands); });
  return {};
}

}  // namespace

constinit const KernelEntry reference_conv = stateless_kernel_entry<ConvProblem, supports, launch>(
    "reference_conv", "one window sum per element in float64, any layout");

}  // namespace tessera::reference
