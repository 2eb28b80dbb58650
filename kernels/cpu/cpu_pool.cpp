// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/primitive.h"
#include "kernels/reference/layout_offset.h"

namespace tessera::cpu {
namespace {

using reference::ImageTensor;

Support supports(const PoolProblem& problem, const DeviceInfo&) {
  return supports_f32(problem.dtype);
}

// The taps of a window along one dimension: first position, how many lie inside the input, and how
// many inside the input or its padding.
struct Taps {
  int64_t first = 0;
  int64_t inside = 0;
  int64_t inside_padded = 0;
};

Taps taps_of(int64_t output, int64_t stride, int64_t pad_begin, int64_t pad_end, int64_t extent,
             int64_t window, int64_t dilation) {
  const int64_t start = output * stride - pad_begin;
  const int64_t skipped = start < 0 ? ceil_div(-start, dilation) : 0;
  Taps taps;
  taps.first = start + skipped * dilation;
  const auto taps_before = [&](int64_t end) {
    return end <= start ? 0 : std::min(window, ceil_div(end - start, dilation));
  };
  taps.inside = std::max<int64_t>(taps_before(extent) - skipped, 0);
  taps.inside_padded = taps_before(extent + pad_end);
  return taps;
}

// `step_h`, `step_w`: elements between taps.
float window_maximum(const float* src, const Taps& rows, const Taps& columns, int64_t step_h,
                     int64_t step_w) {
  float maximum = -std::numeric_limits<float>::infinity();
  for (int64_t r = 0; r < rows.inside; ++r) {
    for (int64_t s = 0; s < columns.inside; ++s) {
      const float value = src[r * step_h + s * step_w];
      // A NaN replaces the maximum; nothing replaces a NaN.
      if (!(value <= maximum) && !std::isnan(maximum)) maximum = value;
    }
  }
  return maximum;
}

float window_mean(const float* src, const Taps& rows, const Taps& columns, int64_t step_h,
                  int64_t step_w, bool count_include_pad) {
  if (rows.inside * columns.inside == 0) return 0.0f;
  float sum = 0.0f;
  for (int64_t r = 0; r < rows.inside; ++r) {
    for (int64_t s = 0; s < columns.inside; ++s) sum += src[r * step_h + s * step_w];
  }
  const int64_t count =
      count_include_pad ? rows.inside_padded * columns.inside_padded : rows.inside * columns.inside;
  return sum / static_cast<float>(count);
}

// All outputs of one channel of one image.
void pool_channel(const PoolProblem& p, const float* src, float* dst, int64_t n, int64_t c) {
  const ImageTensor from{p.layout, p.N, p.C, p.H, p.W};
  const ImageTensor to{p.layout, p.N, p.C, p.P, p.Q};
  const int64_t pixel = p.W > 1 ? from.offset(0, 0, 0, 1) : 0;
  const int64_t row = p.H > 1 ? from.offset(0, 0, 1, 0) : 0;
  for (int64_t out_row = 0; out_row < p.P; ++out_row) {
    const Taps rows = taps_of(out_row, p.stride_h, p.pad_top, p.pad_bottom, p.H, p.R, p.dilation_h);
    for (int64_t out_column = 0; out_column < p.Q; ++out_column) {
      const Taps columns =
          taps_of(out_column, p.stride_w, p.pad_left, p.pad_right, p.W, p.S, p.dilation_w);
      const float* window =
          src + from.offset(n, c, 0, 0) + rows.first * row + columns.first * pixel;
      const int64_t step_h = row * p.dilation_h;
      const int64_t step_w = pixel * p.dilation_w;
      dst[to.offset(n, c, out_row, out_column)] =
          p.kind == PoolKind::kMax
              ? window_maximum(window, rows, columns, step_h, step_w)
              : window_mean(window, rows, columns, step_h, step_w, p.count_include_pad);
    }
  }
}

Status launch(const PoolProblem& p, const Operands& operands, Stream&) {
  const auto* src = static_cast<const float*>(operands.inputs[PoolProblem::kSrc]);
  auto* dst = static_cast<float*>(operands.output);
  const int64_t work = std::max<int64_t>(p.P * p.Q * p.R * p.S, 1);
  parallel_for(p.N * p.C, ceil_div(kParallelElements, work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) pool_channel(p, src, dst, i / p.C, i % p.C);
  });
  reference::zero_channel_padding(dst, ImageTensor{p.layout, p.N, p.C, p.P, p.Q});
  return {};
}

}  // namespace

constinit const KernelEntry cpu_pool = stateless_kernel_entry<PoolProblem, supports, launch>(
    "cpu_pool", "own loops, one channel at a time: NaN and every padding rule as ONNX has them");

}  // namespace tessera::cpu
