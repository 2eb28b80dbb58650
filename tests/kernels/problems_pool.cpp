// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/math.h"
#include "tests/kernels/problems.h"

namespace tessera::testing {
namespace {

// Window, stride, dilation, pads (top, left, bottom, right).
struct Window {
  int64_t R, S;
  int64_t stride_h, stride_w;
  int64_t dilation = 1;
  std::array<int64_t, 4> pads = {0, 0, 0, 0};
};

// ONNX: with ceil_mode the last window must still start inside the input or the padding before it.
int64_t output_extent(int64_t extent, int64_t pad_begin, int64_t pad_end, int64_t window,
                      int64_t stride, bool ceil_mode) {
  const int64_t steps = extent + pad_begin + pad_end - window;
  if (!ceil_mode) return steps / stride + 1;
  const int64_t outputs = ceil_div(steps, stride) + 1;
  return (outputs - 1) * stride >= extent + pad_begin ? outputs - 1 : outputs;
}

PoolProblem pool(PoolKind kind, int64_t n, int64_t c, int64_t h, int64_t w, const Window& window,
                 bool ceil_mode = false) {
  PoolProblem p;
  p.kind = kind;
  p.N = n, p.C = c, p.H = h, p.W = w;
  p.R = window.R, p.S = window.S;
  p.stride_h = window.stride_h, p.stride_w = window.stride_w;
  p.dilation_h = p.dilation_w = window.dilation;
  p.pad_top = window.pads[0], p.pad_left = window.pads[1];
  p.pad_bottom = window.pads[2], p.pad_right = window.pads[3];
  p.P = output_extent(h, p.pad_top, p.pad_bottom, (p.R - 1) * p.dilation_h + 1, p.stride_h,
                      ceil_mode);
  p.Q = output_extent(w, p.pad_left, p.pad_right, (p.S - 1) * p.dilation_w + 1, p.stride_w,
                      ceil_mode);
  return p;
}

constexpr Window kWindows[] = {
    {2, 2, 2, 2},
    {3, 3, 2, 2},
    {3, 3, 1, 1, 1, {1, 1, 1, 1}},
    {3, 2, 2, 3, 1, {1, 0, 0, 1}},  // asymmetric everything
    {3, 3, 2, 2, 1, {0, 0, 1, 1}},
    {3, 3, 2, 2, 1, {1, 1, 0, 0}},
    {2, 2, 3, 3},  // ceil_mode reaches past the padding
    {4, 4, 3, 3, 1, {2, 2, 2, 2}},
    {5, 3, 2, 1, 1, {2, 1, 2, 1}},
    {1, 1, 2, 2},
    {2, 2, 1, 1, 2},
    {3, 3, 2, 2, 2, {2, 2, 2, 2}},
};

void add_windows(std::vector<Problem>& list, PoolKind kind, bool count_include_pad) {
  for (const Window& window : kWindows) {
    for (const bool ceil_mode : {false, true}) {
      for (const auto& [h, w] : {std::pair{13, 11}, {8, 12}, {9, 10}}) {
        PoolProblem p = pool(kind, 2, 3, h, w, window, ceil_mode);
        p.count_include_pad = count_include_pad;
        list.emplace_back(p);
      }
    }
  }
}

void add_sizes(std::vector<Problem>& list, PoolKind kind) {
  list.emplace_back(pool(kind, 0, 3, 8, 8, {2, 2, 2, 2}));
  list.emplace_back(pool(kind, 1, 1, 1, 1, {1, 1, 1, 1}));
  list.emplace_back(pool(kind, 1, 1, 28, 28, {2, 2, 2, 2}));
  list.emplace_back(pool(kind, 3, 17, 7, 7, {7, 7, 1, 1}));  // global
  list.emplace_back(pool(kind, 1, 129, 1, 33, {1, 3, 1, 2}));
  list.emplace_back(pool(kind, 1, 5, 33, 1, {4, 1, 3, 1}));
  list.emplace_back(pool(kind, 2, 5, 56, 56, {56, 56, 1, 1}));
  list.emplace_back(pool(kind, 1, 3, 100, 100, {100, 100, 1, 1}));
  // The only row lies between the taps of a dilated window: nothing takes part.
  list.emplace_back(pool(kind, 1, 2, 1, 1, {2, 2, 1, 1, 2, {1, 1, 1, 1}}));
  PoolProblem wide = pool(kind, 1, 2, 6, 6, {3, 3, 2, 2, 1, {1, 1, 1, 1}});
  wide.dtype = DType::kF64;
  list.emplace_back(wide);
}

void add_layouts(std::vector<Problem>& list, PoolKind kind) {
  for (const Layout layout : kAllLayouts) {
    for (const int64_t channels : {3, 16, 20}) {
      for (const Window& window :
           {kWindows[0], kWindows[2], kWindows[3], kWindows[7], Window{10, 9, 1, 1}}) {
        PoolProblem p = pool(kind, 2, channels, 10, 9, window);
        p.layout = layout;
        list.emplace_back(p);
      }
    }
  }
}

}  // namespace

std::vector<Problem> pool_problems() {
  std::vector<Problem> list;
  for (const PoolKind kind : {PoolKind::kMax, PoolKind::kAverage}) {
    add_windows(list, kind, false);
    add_sizes(list, kind);
    add_layouts(list, kind);
  }
  add_windows(list, PoolKind::kAverage, true);
  append_precisions(list);
  return list;
}

}  // namespace tessera::testing
