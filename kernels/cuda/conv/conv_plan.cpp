// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/conv/conv_plan.h"

#include <algorithm>

#include "core/math.h"

namespace tessera::cuda {
namespace {

// Two warps on each of the four schedulers of a multiprocessor hide the latency of arithmetic.
constexpr double kEnoughWarps = 8;
// Filling the pipeline of copies and storing a tile, per block.
constexpr double kBlockCycles = 2500;
// The second pass of a split sum: a launch, and the partial sums to L2 and back.
constexpr double kLaunchCycles = 4000;
constexpr double kL2BytesPerCycle = 2500;
constexpr int kMostSplits = 16;
// A part shorter than this is mostly prologue.
constexpr int64_t kFewestTilesPerSplit = 8;
constexpr double kMostPartialBytes = 128 << 20;

double estimate_cycles(const ConvProblem& p, const DeviceInfo& device, const ConvTile& tile,
                       int64_t reduction, int splits) {
  const int64_t tiles = p.groups * ceil_div<int64_t>(p.K / p.groups, tile.block_m) *
                        ceil_div<int64_t>(p.N * p.P * p.Q, tile.block_n);
  const int64_t multiprocessors = std::max(device.multiprocessors, 1);
  const auto blocks = static_cast<double>(ceil_div(tiles * splits, multiprocessors));
  const double resident = std::min<double>(blocks, tile.blocks_per_multiprocessor);
  const double busy = std::min(1.0, resident * tile.threads / 32 / kEnoughWarps);
  const auto k_tiles = ceil_div<int64_t>(reduction, tile.block_k);
  const auto depth = static_cast<double>(ceil_div<int64_t>(k_tiles, splits) * tile.block_k);
  const double macs = blocks * tile.block_m * tile.block_n * depth;
  const double cycles = macs / (tile.macs_per_cycle * busy) + blocks / resident * kBlockCycles;
  if (splits == 1) return cycles;
  const double partial_bytes =
      4.0 * static_cast<double>(p.N * p.K) * static_cast<double>(p.P * p.Q);
  return cycles + kLaunchCycles + (2.0 * splits + 1) * partial_bytes / kL2BytesPerCycle;
}

int most_splits(const ConvProblem& p, const ConvTile& tile, int64_t reduction) {
  const int64_t k_tiles = ceil_div<int64_t>(reduction, tile.block_k);
  const double partial_bytes =
      4.0 * static_cast<double>(p.N * p.K) * static_cast<double>(p.P * p.Q);
  const double by_memory = kMostPartialBytes / std::max(partial_bytes, 1.0);
  return static_cast<int>(std::clamp<int64_t>(
      std::min<int64_t>(k_tiles / kFewestTilesPerSplit, static_cast<int64_t>(by_memory)), 1,
      kMostSplits));
}

}  // namespace

ConvPlan plan_conv(const ConvProblem& problem, const DeviceInfo& device,
                   std::span<const ConvTile> tiles, int64_t reduction) {
  ConvPlan best;
  double best_cycles = 0;
  for (size_t t = 0; t < tiles.size(); ++t) {
    const int splits = most_splits(problem, tiles[t], reduction);
    for (int s = 1; s <= splits; ++s) {
      const double cycles = estimate_cycles(problem, device, tiles[t], reduction, s);
      if ((t == 0 && s == 1) || cycles < best_cycles) {
        best = {t, s};
        best_cycles = cycles;
      }
    }
  }
  return best;
}

}  // namespace tessera::cuda
