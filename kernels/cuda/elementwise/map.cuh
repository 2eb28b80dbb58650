// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/vector.cuh"

namespace tessera::cuda {

// The frame of kernels that compute element i of dst from the elements i of their operands. A Map
// is a struct of pointers and parameters with
//
//   static constexpr int kElements             elements of one access: one vector
//   Loaded                                     what is read for kElements elements
//   Loaded load(int64_t first) const           reads them; `first` is a multiple of kElements
//   void store(int64_t first, const Loaded&)   computes and writes them
//   void one(int64_t i) const                  reads, computes and writes a single element
//
// dst may be an operand: a thread reads all that it is going to overwrite first.

// Vectors that a thread has on their way at once: with 2048 threads on a multiprocessor, twice what
// covers the latency of an H200's memory.
constexpr int kMapUnroll = 4;
constexpr int kMapThreads = 256;

// The elements [0, vectors * kElements) as vectors, each block its own stretch; the rest one by
// one.
template <typename Map>
__global__ __launch_bounds__(kMapThreads) void map_kernel(const __grid_constant__ Map map,
                                                          int64_t vectors, int64_t count) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * (kMapThreads * kMapUnroll) + threadIdx.x;
  typename Map::Loaded r_loaded[kMapUnroll];
#pragma unroll
  for (int u = 0; u < kMapUnroll; ++u) {
    const int64_t vector = first + u * kMapThreads;
    if (vector < vectors) r_loaded[u] = map.load(vector * Map::kElements);
  }
#pragma unroll
  for (int u = 0; u < kMapUnroll; ++u) {
    const int64_t vector = first + u * kMapThreads;
    if (vector < vectors) map.store(vector * Map::kElements, r_loaded[u]);
  }
  for (int64_t i = vectors * Map::kElements + grid_thread(); i < count; i += grid_threads()) {
    map.one(i);
  }
}

// `aligned`: every vector of every operand and of dst lies at a multiple of its size; otherwise all
// elements go one by one.
template <typename Map>
Status launch_map(const Map& map, bool aligned, int64_t count, Stream& stream) {
  const int64_t vectors = aligned ? count / Map::kElements : 0;
  const int64_t rest = count - vectors * Map::kElements;
  const int64_t blocks =
      std::max(ceil_div<int64_t>(vectors, kMapThreads * kMapUnroll), elementwise_blocks(rest));
  return launch(map_kernel<Map>, blocks, kMapThreads, 0, stream, map, vectors, count);
}

}  // namespace tessera::cuda
