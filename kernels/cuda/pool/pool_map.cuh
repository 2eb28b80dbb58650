// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/cuda/divider.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/vector.cuh"
#include "kernels/problem/pool.h"

namespace tessera::cuda {

// kCount channels of an output at once (1 unless kChannelsLast), windows of kWindow x kWindow
// cells, 0 for any size.
template <typename Element, PoolKind Kind, bool ChannelsLast, int Count, int Window, typename I>
struct PoolConfig {
  using T = Element;
  using Index = I;
  static constexpr PoolKind kKind = Kind;
  static constexpr bool kChannelsLast = ChannelsLast;
  static constexpr int kCount = Count;
  static constexpr int kWindow = Window;
  static_assert(ChannelsLast || Count == 1, "the channels of NCHW are not neighbours");
};

// One of the two axes of the windows.
struct PoolAxis {
  int extent;
  int window;
  int stride;
  int dilation;
  int pad_begin;
  int pad_end;

  // Where the window of output `index` begins.
  __device__ int first(int64_t index) const { return static_cast<int>(index * stride) - pad_begin; }
  // Taps of a window that begins at `begin` from the first inside src on.
  __device__ int first_tap(int begin) const {
    return begin >= 0 ? 0 : (dilation - 1 - begin) / dilation;
  }
  // One past the last tap before `end`.
  __device__ int end_tap(int begin, int end) const {
    if (begin + (window - 1) * dilation < end) return window;
    return begin >= end ? 0 : (end - begin + dilation - 1) / dilation;
  }
  __device__ int taps_inside(int begin) const {
    return max(end_tap(begin, extent) - first_tap(begin), 0);
  }
  // Those in the padding included.
  __device__ int taps_padded(int begin) const { return end_tap(begin, extent + pad_end); }
};

// The cells of kCount windows that have been seen so far.
template <typename Config>
struct PoolWindow {
  float value[Config::kCount];

  __device__ PoolWindow() {
#pragma unroll
    for (float& x : value) {
      x = Config::kKind == PoolKind::kMax ? -std::numeric_limits<float>::infinity() : 0.0f;
    }
  }
  __device__ void add(const Vector<typename Config::T, Config::kCount>& cell) {
#pragma unroll
    for (int i = 0; i < Config::kCount; ++i) {
      const float x = to_float(cell.element[i]);
      if constexpr (Config::kKind == PoolKind::kMax) {
        if (x > value[i] || isnan(x)) value[i] = x;  // nothing is greater than a NaN
      } else {
        value[i] += x;
      }
    }
  }
};

// A Map (kernels/cuda/elementwise/map.cuh) over the elements of dst in their order in memory.
template <typename Config>
struct PoolMap {
  using T = typename Config::T;
  using Index = typename Config::Index;
  static constexpr int kElements = Config::kCount;
  using Loaded = Vector<T, kElements>;

  const T* src;
  T* dst;
  PoolAxis vertical;
  PoolAxis horizontal;
  int64_t C;
  Divider<Index> channel_divider;  // NHWC: vectors of channels
  Divider<Index> row_divider;      // Q
  Divider<Index> plane_divider;    // P
  bool count_include_pad;

  __device__ Loaded load(int64_t first) const {
    auto place = static_cast<Index>(first / kElements);
    int64_t c = 0;
    if constexpr (Config::kChannelsLast) {
      const auto [rest, vector] = channel_divider.divide(place);
      place = rest;
      c = static_cast<int64_t>(vector) * kElements;
    }
    const auto [row, q] = row_divider.divide(place);
    const auto [image, p] = plane_divider.divide(row);  // n, or n * C + c
    const int64_t channels = Config::kChannelsLast ? C : 1;
    const T* g_image =
        src + static_cast<int64_t>(image) * vertical.extent * horizontal.extent * channels + c;
    const int h0 = vertical.first(p);
    const int w0 = horizontal.first(q);
    return result(scan(g_image, h0, w0, channels), h0, w0);
  }
  __device__ void store(int64_t first, const Loaded& result) const {
    store_vector<kElements>(dst + first, result);
  }
  __device__ void one(int64_t i) const {
    if constexpr (kElements == 1) store(i, load(i));
  }

  // The window whose tap (0, 0) is at (h0, w0); the cells of src are `channels` elements apart.
  __device__ __forceinline__ PoolWindow<Config> scan(const T* g_image, int h0, int w0,
                                                     int64_t channels) const {
    constexpr int kWindow = Config::kWindow;
    PoolWindow<Config> window;
    if constexpr (kWindow > 0) {
      Vector<T, kElements> r_cell[kWindow][kWindow];
#pragma unroll
      for (int r = 0; r < kWindow; ++r) {
#pragma unroll
        for (int s = 0; s < kWindow; ++s) {
          if (inside(h0, w0, r, s)) r_cell[r][s] = load_cell(g_image, h0, w0, r, s, channels);
        }
      }
#pragma unroll
      for (int r = 0; r < kWindow; ++r) {
#pragma unroll
        for (int s = 0; s < kWindow; ++s) {
          if (inside(h0, w0, r, s)) window.add(r_cell[r][s]);
        }
      }
    } else {
      const int end_r = vertical.end_tap(h0, vertical.extent);
      const int end_s = horizontal.end_tap(w0, horizontal.extent);
      for (int r = vertical.first_tap(h0); r < end_r; ++r) {
        for (int s = horizontal.first_tap(w0); s < end_s; ++s) {
          window.add(load_cell(g_image, h0, w0, r, s, channels));
        }
      }
    }
    return window;
  }
  __device__ __forceinline__ bool inside(int h0, int w0, int r, int s) const {
    const int h = h0 + r * vertical.dilation;
    const int w = w0 + s * horizontal.dilation;
    return h >= 0 && h < vertical.extent && w >= 0 && w < horizontal.extent;
  }
  __device__ __forceinline__ Vector<T, kElements> load_cell(const T* g_image, int h0, int w0, int r,
                                                            int s, int64_t channels) const {
    const int64_t h = h0 + r * vertical.dilation;
    const int64_t w = w0 + s * horizontal.dilation;
    return load_vector<kElements>(g_image + (h * horizontal.extent + w) * channels);
  }
  __device__ __forceinline__ Loaded result(const PoolWindow<Config>& window, int h0, int w0) const {
    float factor = 1.0f;
    if constexpr (Config::kKind == PoolKind::kAverage) {
      const int64_t cells_inside = int64_t{vertical.taps_inside(h0)} * horizontal.taps_inside(w0);
      const int64_t cells = count_include_pad
                                ? int64_t{vertical.taps_padded(h0)} * horizontal.taps_padded(w0)
                                : cells_inside;
      factor = cells_inside > 0 ? 1.0f / static_cast<float>(cells) : 0.0f;
    }
    Loaded result;
#pragma unroll
    for (int i = 0; i < kElements; ++i) {
      const bool mean = Config::kKind == PoolKind::kAverage;
      result.element[i] = from_float<T>(mean ? window.value[i] * factor : window.value[i]);
    }
    return result;
  }
};

template <typename Config>
PoolMap<Config> make_pool_map(const PoolProblem& p, const Operands& operands) {
  using T = typename Config::T;
  using Index = typename Config::Index;
  const auto axis = [](int64_t extent, int64_t window, int64_t stride, int64_t dilation,
                       int64_t pad_begin, int64_t pad_end) {
    return PoolAxis{static_cast<int>(extent),    static_cast<int>(window),
                    static_cast<int>(stride),    static_cast<int>(dilation),
                    static_cast<int>(pad_begin), static_cast<int>(pad_end)};
  };
  return {input<T>(operands, PoolProblem::kSrc),
          output<T>(operands),
          axis(p.H, p.R, p.stride_h, p.dilation_h, p.pad_top, p.pad_bottom),
          axis(p.W, p.S, p.stride_w, p.dilation_w, p.pad_left, p.pad_right),
          p.C,
          Divider<Index>(Config::kChannelsLast ? p.C / Config::kCount : 1),
          Divider<Index>(p.Q),
          Divider<Index>(p.P),
          p.count_include_pad};
}

}  // namespace tessera::cuda
