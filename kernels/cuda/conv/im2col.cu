// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/conv/conv_operands.cuh"
#include "kernels/cuda/conv/im2col.h"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/launch.cuh"

namespace tessera::cuda {
namespace {

template <typename T>
__global__ __launch_bounds__(kElementwiseThreads) void im2col_kernel(
    const __grid_constant__ ConvProblem p, int64_t first_image, const T* __restrict__ g_src,
    T* __restrict__ g_columns, int64_t count) {
  const ImageStrides src = image_strides(p.src_layout, p.C, p.H, p.W);
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t q = i % p.Q;
    const int64_t row = i / p.Q / p.P;
    const int64_t s = row % p.S;
    const int64_t r = row / p.S % p.R;
    const int64_t channel = row / p.S / p.R;
    const int64_t h = i / p.Q % p.P * p.stride_h - p.pad_top + r * p.dilation_h;
    const int64_t w = q * p.stride_w - p.pad_left + s * p.dilation_w;
    const bool inside = h >= 0 && h < p.H && w >= 0 && w < p.W;
    const int64_t offset =
        (first_image + channel / p.C) * src.n + channel % p.C * src.c + h * src.h + w * src.w;
    g_columns[i] = inside ? g_src[offset] : T{0};
  }
}

}  // namespace

Status launch_im2col(const ConvProblem& problem, int64_t first_image, int64_t images,
                     const void* src, void* columns, Stream& stream) {
  const int64_t count = images * problem.C * problem.R * problem.S * problem.P * problem.Q;
  return dispatch_element_size(problem.dtype, [&]<typename T>() {
    return launch(im2col_kernel<T>, elementwise_blocks(count), kElementwiseThreads, 0, stream,
                  problem, first_image, static_cast<const T*>(src), static_cast<T*>(columns),
                  count);
  });
}

}  // namespace tessera::cuda
