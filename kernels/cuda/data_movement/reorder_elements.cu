// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/math.h"
#include "kernels/cuda/data_movement/reorder_elements.h"
#include "kernels/cuda/divider.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

// Every layout is (N, blocks, H * W, channels of a block): NCHW has blocks of one channel, NHWC one
// block of all.
int64_t block_of(Layout layout, int64_t C) {
  return layout == Layout::kNHWC ? C : layout_channel_block(layout);
}

template <typename T, typename Index>
struct ReorderMap {
  static constexpr int kElements = 1;
  using Loaded = T;

  const T* src;
  T* dst;
  Index C;
  Index area;
  Divider<Index> area_divider;
  Index src_block, src_blocks;
  Divider<Index> src_block_divider;
  Index dst_block;
  Divider<Index> dst_block_divider, dst_blocks_divider;

  __device__ T load(int64_t i) const {
    const auto [row, channel] = dst_block_divider.divide(static_cast<Index>(i));
    const auto [plane, place] = area_divider.divide(row);
    const auto [n, block] = dst_blocks_divider.divide(plane);
    const Index c = block * dst_block + channel;
    if (c >= C) return T{0};
    const auto from = src_block_divider.divide(c);
    return src[((n * src_blocks + from.quotient) * area + place) * src_block + from.remainder];
  }
  __device__ void store(int64_t i, const T& x) const { dst[i] = x; }
  __device__ void one(int64_t i) const { store(i, load(i)); }
};

template <typename T, typename Index>
ReorderMap<T, Index> make_map(const ReorderProblem& p, const Operands& operands) {
  const int64_t src_block = block_of(p.from, p.C);
  const int64_t dst_block = block_of(p.to, p.C);
  ReorderMap<T, Index> map;
  map.src = input<T>(operands, ReorderProblem::kSrc);
  map.dst = output<T>(operands);
  map.C = static_cast<Index>(p.C);
  map.area = static_cast<Index>(p.H * p.W);
  map.area_divider = Divider<Index>(p.H * p.W);
  map.src_block = static_cast<Index>(src_block);
  map.src_blocks = static_cast<Index>(ceil_div(p.C, src_block));
  map.src_block_divider = Divider<Index>(src_block);
  map.dst_block = static_cast<Index>(dst_block);
  map.dst_block_divider = Divider<Index>(dst_block);
  map.dst_blocks_divider = Divider<Index>(ceil_div(p.C, dst_block));
  return map;
}

int64_t storage_elements(const ReorderProblem& p, Layout layout) {
  return p.N * round_up(p.C, block_of(layout, p.C)) * p.H * p.W;
}

}  // namespace

Status launch_reorder_elements(const ReorderProblem& p, const Operands& operands, Stream& stream) {
  if (p.N * p.C * p.H * p.W == 0) return {};
  const int64_t count = storage_elements(p, p.to);
  return dispatch_element_size(p.dtype, [&]<typename T>() {
    return dispatch_index(std::max(count, storage_elements(p, p.from)), [&]<typename Index>() {
      return launch_map(make_map<T, Index>(p, operands), true, count, stream);
    });
  });
}

}  // namespace tessera::cuda
