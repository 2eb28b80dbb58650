// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/device.h"
#include "kernels/problem/conv.h"

namespace tessera::cuda {

// A tile of D (K/groups, N * P * Q) that a block computes, as far as its cost depends on it.
struct ConvTile {
  int block_m, block_n, block_k;
  int threads;
  int blocks_per_multiprocessor;
  // Multiply-adds per cycle that a multiprocessor with enough warps makes with it.
  double macs_per_cycle;
};

// How a convolution is divided among blocks: which tile, and into how many parts the sum over
// k-tiles is split, so that a small D too gives every multiprocessor a block.
struct ConvPlan {
  size_t tile = 0;
  int splits = 1;
};

// The plan with the fewest estimated cycles for a sum of `reduction` products per output.
ConvPlan plan_conv(const ConvProblem& problem, const DeviceInfo& device,
                   std::span<const ConvTile> tiles, int64_t reduction);

}  // namespace tessera::cuda
