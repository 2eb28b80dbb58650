// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/cuda/epilogue.cuh"
#include "kernels/cuda/image_strides.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/conv.h"

namespace tessera::cuda {

// Operands of a convolution kernel; bias and residual are null when the epilogue has none.
struct ConvOperands {
  const float* src;
  const float* weights;
  const float* bias;
  const float* residual;
  float* dst;
};

inline ConvOperands conv_operands(const Operands& operands) {
  return {input<float>(operands, ConvProblem::kSrc), input<float>(operands, ConvProblem::kWeights),
          input<float>(operands, ConvProblem::kBias),
          input<float>(operands, ConvProblem::kResidual), output<float>(operands)};
}

// What every kernel of this folder asks of a problem: strided layouts, and coordinates with which
// device code can compute in 32 bits.
inline Support support_conv_geometry(const ConvProblem& p) {
  if (!is_strided_layout(p.src_layout)) return support_strided_layout(p.src_layout);
  if (!is_strided_layout(p.dst_layout)) return support_strided_layout(p.dst_layout);
  constexpr int64_t kLimit = int64_t{1} << 30;
  for (const int64_t extent : {p.H, p.W, p.P, p.Q, p.R, p.S, p.stride_h, p.stride_w, p.dilation_h,
                               p.dilation_w, p.pad_top, p.pad_left}) {
    if (extent >= kLimit) return Support::no("an extent, stride, dilation or pad is over 2^30");
  }
  if (p.P * p.stride_h >= kLimit || p.Q * p.stride_w >= kLimit || p.R * p.dilation_h >= kLimit ||
      p.S * p.dilation_w >= kLimit) {
    return Support::no("a coordinate of src can pass 2^30");
  }
  return Support::yes();
}

// The same of a kernel for float32.
inline Support support_conv(const ConvProblem& p) {
  if (p.dtype != DType::kF32) return support_float32(p.dtype);
  return support_conv_geometry(p);
}

// A coordinate that is outside of src whatever tap (below 2^30) is added to it.
constexpr int kOutside = -(1 << 30);

// Products of one output: C / groups * R * S.
__host__ __device__ inline int64_t conv_reduction(const ConvProblem& p) {
  return p.C / p.groups * p.R * p.S;
}

// An output position: its image and place, numbered n, p, q with q fastest.
struct ConvPosition {
  int64_t n;
  int p, q;
};

__device__ __forceinline__ ConvPosition conv_position(const ConvProblem& problem, int64_t index) {
  const int64_t row = index / problem.Q;
  return {row / problem.P, static_cast<int>(row % problem.P), static_cast<int>(index % problem.Q)};
}

// The corner of the window of an output position in src: coordinates of tap (0, 0), which may be
// negative, and the offset of channel 0 there.
struct ConvWindow {
  int64_t offset;
  int h, w;
};

__device__ __forceinline__ ConvWindow conv_window(const ConvProblem& problem,
                                                  const ImageStrides& src,
                                                  const ConvPosition& position) {
  const int h = static_cast<int>(position.p * problem.stride_h - problem.pad_top);
  const int w = static_cast<int>(position.q * problem.stride_w - problem.pad_left);
  return {position.n * src.n + h * src.h + w * src.w, h, w};
}

// Stores dst[n, k, p, q] = activation(x + bias[k] + residual) at `offset` of dst.
template <ActivationKind kActivation>
__device__ __forceinline__ void store_conv_output(const ConvProblem& p, const ConvOperands& g,
                                                  int64_t k, int64_t offset, float x) {
  if (g.bias != nullptr) x += g.bias[k];
  if (g.residual != nullptr) x += g.residual[offset];
  g.dst[offset] = activate<kActivation>(x, p.epilogue.activation);
}

}  // namespace tessera::cuda
