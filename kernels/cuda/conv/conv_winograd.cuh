// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accuracy/winograd.h"
#include "kernels/cuda/conv/conv_operands.cuh"
#include "kernels/cuda/launch.cuh"

// The three transforms of Winograd's algorithm (kernels/accuracy/winograd.h), one thread a tile of
// one channel. What they write is laid out for launch_winograd_gemm: the position in the
// transformed tile outermost, so that each is a matrix of its own.

namespace tessera::cuda {

// The images of one pass, their tiles numbered n, p, q with q fastest.
struct WinogradTiles {
  int64_t first_image, images;
  int64_t tiles_p, tiles_q;
  int64_t count;    // images * tiles_p * tiles_q
  int64_t pitch;    // count, rounded up
  int64_t depth;    // C, rounded up
  int64_t pitch_k;  // K, rounded up
};

struct TilePosition {
  int64_t n;
  int p, q;  // the first output
};

template <int kOutputs>
__device__ __forceinline__ TilePosition tile_position(const WinogradTiles& tiles, int64_t tile) {
  const auto index = static_cast<uint32_t>(tile);
  const auto tiles_p = static_cast<uint32_t>(tiles.tiles_p);
  const auto tiles_q = static_cast<uint32_t>(tiles.tiles_q);
  const uint32_t row = index / tiles_q;
  return {tiles.first_image + row / tiles_p, static_cast<int>(row % tiles_p) * kOutputs,
          static_cast<int>(index % tiles_q) * kOutputs};
}

// y = M x M^T for M (Rows, Columns) given by its coefficients; those of 0 cost nothing, and leave
// an infinity out.
template <int kRows, int kColumns, typename Float, typename Coefficient>
__device__ __forceinline__ void transform_tile(Coefficient coefficient,
                                               const Float (&x)[kColumns][kColumns],
                                               Float (&y)[kRows][kRows]) {
  Float half[kRows][kColumns];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      half[i][j] = 0;
#pragma unroll
      for (int a = 0; a < kColumns; ++a) {
        const auto factor = static_cast<Float>(coefficient(i, a));
        if (factor != 0) half[i][j] += factor * x[a][j];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < kRows; ++j) {
      y[i][j] = 0;
#pragma unroll
      for (int a = 0; a < kColumns; ++a) {
        const auto factor = static_cast<Float>(coefficient(j, a));
        if (factor != 0) y[i][j] += factor * half[i][a];
      }
    }
  }
}

// g_packed (Tile * Tile, depth, pitch_k) = G g G^T, in double: it is done once.
template <int kOutputs>
__global__ __launch_bounds__(kElementwiseThreads) void winograd_weights_kernel(
    const __grid_constant__ ConvProblem p, WinogradTiles tiles, const float* __restrict__ g_weights,
    float* __restrict__ g_packed) {
  using W = Winograd<kOutputs>;
  const int64_t count = tiles.depth * tiles.pitch_k;
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t k = i % tiles.pitch_k;
    const int64_t c = i / tiles.pitch_k;
    double filter[3][3] = {};
    if (k < p.K && c < p.C) {
#pragma unroll
      for (int tap = 0; tap < 9; ++tap)
        filter[tap / 3][tap % 3] = g_weights[(k * p.C + c) * 9 + tap];
    }
    double transformed[W::kTile][W::kTile];
    transform_tile<W::kTile, 3>([](int a, int b) { return W::filter(a, b); }, filter, transformed);
#pragma unroll
    for (int j = 0; j < W::kTile * W::kTile; ++j) {
      g_packed[j * count + i] = static_cast<float>(transformed[j / W::kTile][j % W::kTile]);
    }
  }
}

// g_tiles (Tile * Tile, depth, pitch) = B^T d B; zeros where there is no channel or tile.
template <int kOutputs>
__global__ __launch_bounds__(kElementwiseThreads) void winograd_src_kernel(
    const __grid_constant__ ConvProblem p, WinogradTiles tiles, const float* __restrict__ g_src,
    float* __restrict__ g_tiles) {
  using W = Winograd<kOutputs>;
  const int64_t count = tiles.depth * tiles.pitch;
  const int height = static_cast<int>(p.H);
  const int width = static_cast<int>(p.W);
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t tile = i % tiles.pitch;
    const int64_t c = i / tiles.pitch;
    float patch[W::kTile][W::kTile] = {};
    if (tile < tiles.count && c < p.C) {
      const TilePosition position = tile_position<kOutputs>(tiles, tile);
      const int h0 = position.p - static_cast<int>(p.pad_top);
      const int w0 = position.q - static_cast<int>(p.pad_left);
      const float* g_plane = g_src + (position.n * p.C + c) * p.H * p.W;
#pragma unroll
      for (int a = 0; a < W::kTile; ++a) {
#pragma unroll
        for (int b = 0; b < W::kTile; ++b) {
          const int h = h0 + a, w = w0 + b;
          const bool inside = h >= 0 && h < height && w >= 0 && w < width;
          if (inside) patch[a][b] = g_plane[int64_t{h} * width + w];
        }
      }
    }
    float transformed[W::kTile][W::kTile];
    transform_tile<W::kTile, W::kTile>([](int a, int b) { return W::input(a, b); }, patch,
                                       transformed);
#pragma unroll
    for (int j = 0; j < W::kTile * W::kTile; ++j) {
      g_tiles[j * count + i] = transformed[j / W::kTile][j % W::kTile];
    }
  }
}

// dst = activation(A^T m A + bias + residual) from g_products (Tile * Tile, K, pitch).
template <int kOutputs, ActivationKind kActivation>
__global__ __launch_bounds__(kElementwiseThreads) void winograd_dst_kernel(
    const __grid_constant__ ConvProblem p, ConvOperands g, WinogradTiles tiles,
    const float* __restrict__ g_products) {
  using W = Winograd<kOutputs>;
  const int64_t count = p.K * tiles.pitch;
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t tile = i % tiles.pitch;
    const int64_t k = i / tiles.pitch;
    if (tile >= tiles.count) continue;
    float products[W::kTile][W::kTile];
#pragma unroll
    for (int j = 0; j < W::kTile * W::kTile; ++j) {
      products[j / W::kTile][j % W::kTile] = g_products[j * count + i];
    }
    float outputs[kOutputs][kOutputs];
    transform_tile<kOutputs, W::kTile>([](int a, int b) { return W::output(a, b); }, products,
                                       outputs);
    const TilePosition position = tile_position<kOutputs>(tiles, tile);
    const int64_t offset = ((position.n * p.K + k) * p.P + position.p) * p.Q + position.q;
#pragma unroll
    for (int a = 0; a < kOutputs; ++a) {
#pragma unroll
      for (int b = 0; b < kOutputs; ++b) {
        if (position.p + a < p.P && position.q + b < p.Q) {
          store_conv_output<kActivation>(p, g, k, offset + a * p.Q + b, outputs[a][b]);
        }
      }
    }
  }
}

}  // namespace tessera::cuda
