// SPDX-License-Identifier: Apache-2.0
// image_to_tensor: dst[n, c, h, w] = (src[n, h, w, c] * scale - mean[c]) / std[c], one thread per
// pixel: it reads the pixel's interleaved bytes and writes one float per channel.
//
//   operands  src uint8 (N, H, W, C), dst float32 NCHW or NHWC, C <= 4
//   alignment 4 bytes (dst)
//   rounding  every operation rounds on its own and is never contracted to a fused multiply-add, so
//             that the bits are those of any other backend
#include "kernels/cuda/image_strides.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/image.h"

namespace tessera::cuda {
namespace {

__global__ void image_to_tensor_kernel(const __grid_constant__ ImageProblem p, const uint8_t* src,
                                       float* dst, int64_t pixels) {
  const ImageStrides to = image_strides(p.dst_layout, p.C, p.H, p.W);
  const int64_t area = p.H * p.W;
  for (int64_t pixel = grid_thread(); pixel < pixels; pixel += grid_threads()) {
    // The pixels of a plane follow each other to.w apart in both layouts.
    float* g_dst = dst + pixel / area * to.n + pixel % area * to.w;  // (C), to.c apart
#pragma unroll
    for (int c = 0; c < ImageProblem::kMaxChannels; ++c) {
      if (c < p.C) {
        const float scaled = __fmul_rn(static_cast<float>(src[pixel * p.C + c]), p.scale);
        g_dst[c * to.c] = __fdiv_rn(__fsub_rn(scaled, p.mean[c]), p.std[c]);
      }
    }
  }
}

Support supports(const ImageProblem& problem, const DeviceInfo&) {
  if (problem.C > ImageProblem::kMaxChannels) {
    return Support::no("C = " + std::to_string(problem.C) + " channels are more than " +
                       std::to_string(ImageProblem::kMaxChannels));
  }
  if (problem.dtype != DType::kF32) return support_float32(problem.dtype);
  return support_strided_layout(problem.dst_layout);
}

Status launch_image_to_tensor(const ImageProblem& problem, const Operands& operands,
                              Stream& stream) {
  const int64_t pixels = problem.N * problem.H * problem.W;
  return launch(image_to_tensor_kernel, elementwise_blocks(pixels), kElementwiseThreads, 0, stream,
                problem, input<uint8_t>(operands, ImageProblem::kSrc), output<float>(operands),
                pixels);
}

}  // namespace

const KernelEntry image_to_tensor_entry =
    stateless_kernel_entry<ImageProblem, supports, launch_image_to_tensor>(
        "image_to_tensor", "one thread per pixel, every operation rounded on its own");

}  // namespace tessera::cuda
