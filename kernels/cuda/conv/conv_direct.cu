// SPDX-License-Identifier: Apache-2.0
// conv_direct: dst = activation(conv(src, weights) + bias + residual) for short reductions. A
// thread computes one output position for up to 8 output channels, so that each value of src is
// read once for all of them; their weights lie in shared memory, where all threads read the same
// word at once.
//
//   operands  float32, src and dst NCHW or NHWC (each its own); groups, strides, dilation and pads
//   of
//             any size; no more than 128 products per output (C / groups * R * S)
//   alignment 4 bytes
//   sum       float32 in the order c, r, s; deterministic
#include "core/math.h"
#include "kernels/cuda/conv/conv_operands.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kThreads = 128;
  // A stem with a 3 x 3, 5 x 5 or 11 x 11 x 1 window fits; beyond that the implicit GEMM, which
  // reuses src across positions too, is faster.
  static constexpr int kMaxReduction = 128;
  static constexpr int kThreadK = 8;
  static_assert(kMaxReduction * kThreadK * sizeof(float) <= (48 << 10), "static shared memory");
  static_assert(kThreadK % 4 == 0, "the channels of a tap are read as 16-byte vectors");
};

// kThreadK output channels a thread; 1 where a group has no more (a depthwise convolution).
template <int kThreadK, ActivationKind kActivation>
__global__ __launch_bounds__(Config::kThreads) void conv_direct_kernel(
    const __grid_constant__ ConvProblem p, ConvOperands g) {
  __shared__ __align__(16) float s_weights[Config::kMaxReduction][kThreadK];  // (C/g * R * S, K)

  const int group_c = static_cast<int>(p.C / p.groups);
  const int64_t group_k = p.K / p.groups;
  const int reduction = static_cast<int>(conv_reduction(p));
  const int64_t tiles_k = ceil_div<int64_t>(group_k, kThreadK);
  const int64_t group = blockIdx.x / tiles_k % p.groups;
  const int64_t k_in_group = blockIdx.x % tiles_k * kThreadK;
  const int64_t k0 = group * group_k + k_in_group;
  const int64_t k_left = group_k - k_in_group;

  for (int i = threadIdx.x; i < reduction * kThreadK; i += Config::kThreads) {
    const int j = i / reduction;
    const int tap = i % reduction;
    s_weights[tap][j] = j < k_left ? g.weights[(k0 + j) * reduction + tap] : 0.0f;
  }
  __syncthreads();

  const int64_t index =
      blockIdx.x / tiles_k / p.groups * Config::kThreads + static_cast<int64_t>(threadIdx.x);
  if (index >= p.N * p.P * p.Q) return;
  const ConvPosition position = conv_position(p, index);
  const ImageStrides src = image_strides(p.src_layout, p.C, p.H, p.W);
  const ConvWindow window = conv_window(p, src, position);
  const int H = static_cast<int>(p.H), W = static_cast<int>(p.W);
  const int R = static_cast<int>(p.R), S = static_cast<int>(p.S);
  const int dilation_h = static_cast<int>(p.dilation_h);
  const int dilation_w = static_cast<int>(p.dilation_w);

  float r_acc[kThreadK] = {};  // (K)
  int tap = 0;
  for (int c = 0; c < group_c; ++c) {
    const float* g_src = g.src + window.offset + (group * group_c + c) * src.c;
    for (int r = 0; r < R; ++r) {
      const int h = window.h + r * dilation_h;
      for (int s = 0; s < S; ++s, ++tap) {
        const int w = window.w + s * dilation_w;
        const bool inside = h >= 0 && h < H && w >= 0 && w < W;
        const float value = inside ? g_src[r * dilation_h * src.h + s * dilation_w * src.w] : 0.0f;
#pragma unroll
        for (int j = 0; j < kThreadK; ++j) r_acc[j] += value * s_weights[tap][j];
      }
    }
  }

  const ImageStrides dst = image_strides(p.dst_layout, p.K, p.P, p.Q);
  const int64_t offset = position.n * dst.n + position.p * dst.h + position.q * dst.w;
#pragma unroll
  for (int j = 0; j < kThreadK; ++j) {
    if (j < k_left) {
      store_conv_output<kActivation>(p, g, k0 + j, offset + (k0 + j) * dst.c, r_acc[j]);
    }
  }
}

Support supports(const ConvProblem& problem, const DeviceInfo&) {
  const int64_t reduction = conv_reduction(problem);
  if (reduction > Config::kMaxReduction) {
    return Support::no("C / groups * R * S = " + std::to_string(reduction) +
                       " products per output are more than " +
                       std::to_string(Config::kMaxReduction));
  }
  return support_conv(problem);
}

template <int kThreadK>
Status launch_with(const ConvProblem& p, const Operands& operands, Stream& stream) {
  const int64_t blocks = ceil_div<int64_t>(p.N * p.P * p.Q, Config::kThreads) * p.groups *
                         ceil_div<int64_t>(p.K / p.groups, kThreadK);
  return dispatch_activation(p.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(conv_direct_kernel<kThreadK, kActivation>, blocks, Config::kThreads, 0, stream, p,
                  conv_operands(operands));
  });
}

Status launch_conv_direct(const ConvProblem& problem, const Operands& operands, Stream& stream) {
  if (problem.K == problem.groups) return launch_with<1>(problem, operands, stream);
  return launch_with<Config::kThreadK>(problem, operands, stream);
}

}  // namespace

const KernelEntry conv_direct_entry =
    stateless_kernel_entry<ConvProblem, supports, launch_conv_direct>(
        "conv_direct", "one position and 8 channels per thread, weights in shared memory");

}  // namespace tessera::cuda
