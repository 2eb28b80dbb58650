// SPDX-License-Identifier: Apache-2.0
// pool_window: maximum or mean over a window of each channel, one thread per output. Which cells
// count and what NaN, -infinity and empty windows give is said in kernels/problem/pool.h.
//
//   operands  float32, NCHW or NHWC; windows, strides, dilation and pads of any size
//   alignment 4 bytes
//   sum       float32 in the order r, s; deterministic
#include <limits>

#include "kernels/cuda/image_strides.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// The cells of a window that have been seen so far.
struct Window {
  float max = -std::numeric_limits<float>::infinity();
  float sum = 0.0f;
  int64_t cells_in_src = 0;
  int64_t cells_in_padding = 0;  // those of src included
};

// The window whose tap (0, 0) is at (h0, w0) of the channel at g_channel.
__device__ __forceinline__ Window scan_window(const PoolProblem& p, const ImageStrides& strides,
                                              const float* g_channel, int64_t h0, int64_t w0) {
  Window window;
  for (int64_t r = 0; r < p.R; ++r) {
    const int64_t h = h0 + r * p.dilation_h;
    if (h >= p.H + p.pad_bottom) break;
    for (int64_t s = 0; s < p.S; ++s) {
      const int64_t w = w0 + s * p.dilation_w;
      if (w >= p.W + p.pad_right) break;
      ++window.cells_in_padding;
      if (h < 0 || h >= p.H || w < 0 || w >= p.W) continue;
      ++window.cells_in_src;
      const float x = g_channel[h * strides.h + w * strides.w];
      if (x > window.max || isnan(x)) window.max = x;  // nothing is greater than a NaN
      window.sum += x;
    }
  }
  return window;
}

__global__ void pool_window_kernel(const __grid_constant__ PoolProblem p, const float* src,
                                   float* dst, int64_t count) {
  const ImageStrides from = image_strides(p.layout, p.C, p.H, p.W);
  const ImageStrides to = image_strides(p.layout, p.C, p.P, p.Q);
  const bool channels_fastest = p.layout == Layout::kNHWC;
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    // Numbered as they lie in memory, so that neighbouring threads write neighbouring addresses.
    const int64_t place = channels_fastest ? i / p.C : i;
    const int64_t q = place % p.Q;
    const int64_t row = place / p.Q % p.P;
    const int64_t image = place / p.Q / p.P;  // n, or n * C + c
    const int64_t n = channels_fastest ? image : image / p.C;
    const int64_t c = channels_fastest ? i % p.C : image % p.C;
    const Window window = scan_window(p, from, src + n * from.n + c * from.c,
                                      row * p.stride_h - p.pad_top, q * p.stride_w - p.pad_left);
    const int64_t cells = p.count_include_pad ? window.cells_in_padding : window.cells_in_src;
    const float mean = window.cells_in_src > 0 ? window.sum / static_cast<float>(cells) : 0.0f;
    const float result = p.kind == PoolKind::kMax ? window.max : mean;
    dst[n * to.n + c * to.c + row * to.h + q * to.w] = result;
  }
}

Support supports(const PoolProblem& problem, const DeviceInfo&) {
  if (problem.dtype != DType::kF32) return support_float32(problem.dtype);
  return support_strided_layout(problem.layout);
}

Status launch_pool_window(const PoolProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t count = problem.N * problem.C * problem.P * problem.Q;
  return launch(pool_window_kernel, elementwise_blocks(count), kElementwiseThreads, 0, stream,
                problem, input<float>(operands, PoolProblem::kSrc), output<float>(operands), count);
}

}  // namespace

const KernelEntry pool_window_entry =
    stateless_kernel_entry<PoolProblem, supports, launch_pool_window>(
        "pool_window", "one thread per output scans its window");

}  // namespace tessera::cuda
