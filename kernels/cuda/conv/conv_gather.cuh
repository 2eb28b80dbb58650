// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/conv/conv_operands.cuh"
#include "kernels/cuda/ptx/cp_async.cuh"

// The columns of a convolution as a matrix product, (C/groups * R * S, N * P * Q), gathered from
// src a k-tile at a time by asynchronous copies: two orders of k, each with address arithmetic of a
// few instructions per element and none of it a division.

namespace tessera::cuda {

// The window of the output position that a thread gathers for, in one group of src.
struct GatherWindow {
  const float* corner;  // channel 0 of the group at tap (0, 0)
  int h, w;             // kOutside where there is no such position
};

__device__ __forceinline__ GatherWindow gather_window(const ConvProblem& p, const ImageStrides& src,
                                                      const float* g_src, int64_t group,
                                                      int64_t position) {
  const float* g_group = g_src + group * (p.C / p.groups) * src.c;
  if (position >= p.N * p.P * p.Q) return {g_group, kOutside, kOutside};
  const ConvWindow window = conv_window(p, src, conv_position(p, position));
  return {g_group + window.offset, window.h, window.w};
}

// A thread copies one column x of the tile, and of it every kRowStep-th row.
template <typename Tile>
struct GatherShare {
  static constexpr int kRowStep = Tile::kThreads / Tile::kBlockN;
  static constexpr int kPasses = Tile::kBlockK / kRowStep;
  static_assert(Tile::kThreads % Tile::kBlockN == 0 && Tile::kBlockK % kRowStep == 0,
                "a thread keeps its column, and the passes cover the rows");
  __device__ static int column() { return threadIdx.x % Tile::kBlockN; }
  __device__ static int row() { return threadIdx.x / Tile::kBlockN; }
};

// k-tiles of kBlockK channels of one tap: channel blocks outermost, then r, then s, so that the
// taps of a channel block, which read nearly the same elements of src, find them in L1. Requires:
// C / groups is a multiple of kBlockK, so that one test serves all rows of a k-tile.
template <typename Tile>
class ChannelGather {
 public:
  __device__ __forceinline__ ChannelGather(const ConvProblem& p, const ImageStrides& src,
                                           const GatherWindow& window, int first_tile)
      : p_(p), src_(src), window_(window) {
    const int taps = static_cast<int>(p.R * p.S);
    const int tap = first_tile % taps;
    r_ = tap / static_cast<int>(p.S);
    s_ = tap % static_cast<int>(p.S);
    c_ = first_tile / taps * Tile::kBlockK + Share::row();
  }

  // Begins to copy the next k-tile.
  __device__ __forceinline__ void copy(float (&s_columns)[Tile::kBlockK][Tile::kPitchN]) {
    const int h = r_ * static_cast<int>(p_.dilation_h);
    const int w = s_ * static_cast<int>(p_.dilation_w);
    const bool inside = static_cast<unsigned>(window_.h + h) < static_cast<unsigned>(p_.H) &&
                        static_cast<unsigned>(window_.w + w) < static_cast<unsigned>(p_.W);
    const int bytes = inside ? 4 : 0;
    const float* g_element = window_.corner + c_ * src_.c + h * src_.h + w * src_.w;
#pragma unroll
    for (int pass = 0; pass < Share::kPasses; ++pass) {
      cp_async<4>(&s_columns[Share::row() + pass * Share::kRowStep][Share::column()], g_element,
                  bytes);
      g_element += Share::kRowStep * src_.c;
    }
    next_tap();
  }

 private:
  using Share = GatherShare<Tile>;

  __device__ __forceinline__ void next_tap() {
    if (++s_ < static_cast<int>(p_.S)) return;
    s_ = 0;
    if (++r_ < static_cast<int>(p_.R)) return;
    r_ = 0;
    c_ += Tile::kBlockK;
  }

  const ConvProblem& p_;
  const ImageStrides& src_;
  GatherWindow window_;
  int r_, s_, c_;
};

// Row (c, r, s) of the columns: where it lies relative to a window's corner. h and w are kOutside
// in the rows that fill up the last k-tile.
struct alignas(16) Tap {
  int64_t offset;
  int h, w;
};

// k-tiles in the order c, r, s of the weights, for any number of channels: a table has the
// taps.
template <typename Tile>
class TapGather {
 public:
  __device__ __forceinline__ TapGather(const ConvProblem& p, const Tap* __restrict__ g_taps,
                                       const GatherWindow& window, int first_tile)
      : p_(p),
        g_tap_(g_taps + int64_t{first_tile} * Tile::kBlockK + Share::row()),
        window_(window) {}

  __device__ __forceinline__ void copy(float (&s_columns)[Tile::kBlockK][Tile::kPitchN]) {
#pragma unroll
    for (int pass = 0; pass < Share::kPasses; ++pass) {
      const int row = pass * Share::kRowStep;
      const Tap tap = g_tap_[row];
      const bool inside = static_cast<unsigned>(window_.h + tap.h) < static_cast<unsigned>(p_.H) &&
                          static_cast<unsigned>(window_.w + tap.w) < static_cast<unsigned>(p_.W);
      cp_async<4>(&s_columns[Share::row() + row][Share::column()], window_.corner + tap.offset,
                  inside ? 4 : 0);
    }
    g_tap_ += Tile::kBlockK;
  }

 private:
  using Share = GatherShare<Tile>;

  const ConvProblem& p_;
  const Tap* g_tap_;
  GatherWindow window_;
};

}  // namespace tessera::cuda
