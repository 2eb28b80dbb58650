// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"
#include "kernels/reference/layout_offset.h"

namespace tessera::reference {
namespace {

Support supports(const PoolProblem& problem, const DeviceInfo&) {
  return supports_float(problem.dtype);
}

// What a window holds.
struct WindowSummary {
  double maximum = -std::numeric_limits<double>::infinity();
  double sum = 0.0;
  int64_t cells_in_src = 0;
  int64_t cells_in_padded_src = 0;
};

template <typename T>
WindowSummary summarize(const PoolProblem& problem, const ImageTensor& tensor, const T* src,
                        int64_t n, int64_t c, int64_t p, int64_t q) {
  WindowSummary window;
  for (int64_t r = 0; r < problem.R; ++r) {
    const int64_t h = p * problem.stride_h - problem.pad_top + r * problem.dilation_h;
    for (int64_t s = 0; s < problem.S; ++s) {
      const int64_t w = q * problem.stride_w - problem.pad_left + s * problem.dilation_w;
      // The window never starts before the padding, but ceil_mode lets it reach past its end.
      if (h < problem.H + problem.pad_bottom && w < problem.W + problem.pad_right) {
        ++window.cells_in_padded_src;
      }
      if (h < 0 || h >= problem.H || w < 0 || w >= problem.W) continue;
      ++window.cells_in_src;
      const double value = src[tensor.offset(n, c, h, w)];
      window.sum += value;
      if (value > window.maximum || std::isnan(value)) window.maximum = value;
      // Nothing compares greater than a NaN maximum, so it stays.
    }
  }
  return window;
}

double pooled(const PoolProblem& problem, const WindowSummary& window) {
  if (problem.kind == PoolKind::kMax) return window.maximum;
  if (window.cells_in_src == 0) return 0.0;
  return window.sum / static_cast<double>(problem.count_include_pad ? window.cells_in_padded_src
                                                                    : window.cells_in_src);
}

template <typename T>
void pool(const PoolProblem& problem, const Operands& operands) {
  const T* src = input<T>(operands, PoolProblem::kSrc);
  T* dst = output<T>(operands);
  const ImageTensor src_tensor{problem.layout, problem.N, problem.C, problem.H, problem.W};
  const ImageTensor dst_tensor{problem.layout, problem.N, problem.C, problem.P, problem.Q};
  for (int64_t n = 0; n < problem.N; ++n) {
    for (int64_t c = 0; c < problem.C; ++c) {
      for (int64_t p = 0; p < problem.P; ++p) {
        for (int64_t q = 0; q < problem.Q; ++q) {
          dst[dst_tensor.offset(n, c, p, q)] =
              static_cast<T>(pooled(problem, summarize(problem, src_tensor, src, n, c, p, q)));
        }
      }
    }
  }
  zero_channel_padding(dst, dst_tensor);
}

Status launch(const PoolProblem& problem, const Operands& operands, Stream&) {
  visit_float(problem.dtype,
              [&]<typename T>(std::type_identity<T>) { pool<T>(problem, operands); });
  return {};
}

}  // namespace

constinit const KernelEntry reference_pool = stateless_kernel_entry<PoolProblem, supports, launch>(
    "reference_pool", "one window per element in float64, any layout");

}  // namespace tessera::reference
