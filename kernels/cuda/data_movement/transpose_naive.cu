// SPDX-License-Identifier: Apache-2.0
// transpose_naive: dst[i[permutation[0]], i[permutation[1]], ...] = src[i[0], i[1], ...] for any
// permutation, one thread per element of dst: writes are contiguous, reads wherever they fall.
// Where the innermost axis stays, a thread moves up to 16 bytes of it.
//
//   operands  any dtype, rank <= 8
//   alignment that of the element
//   deterministic
#include "kernels/cuda/data_movement/collapse.h"
#include "kernels/cuda/data_movement/permute.h"
#include "kernels/cuda/divider.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

// Of the axes of dst, innermost first: the extent, and the stride in src of the axis that it is.
template <typename Unit, typename Index>
struct PermuteMap {
  static constexpr int kElements = 1;
  using Loaded = Unit;

  const Unit* src;
  Unit* dst;
  int rank = 0;
  Divider<Index> extent[TransposeProblem::kMaxRank];
  Index src_stride[TransposeProblem::kMaxRank] = {};

  __device__ Unit load(int64_t i) const {
    auto rest = static_cast<Index>(i);
    Index offset = 0;
#pragma unroll
    for (int axis = 0; axis < TransposeProblem::kMaxRank; ++axis) {
      if (axis == rank) break;
      const auto [quotient, index] = extent[axis].divide(rest);
      offset += index * src_stride[axis];
      rest = quotient;
    }
    return src[offset];
  }
  __device__ void store(int64_t i, const Unit& unit) const { dst[i] = unit; }
  __device__ void one(int64_t i) const { store(i, load(i)); }
};

template <typename Unit, typename Index>
PermuteMap<Unit, Index> make_map(const TransposeProblem& p, const Operands& operands) {
  PermuteMap<Unit, Index> map;
  map.src = input<Unit>(operands, TransposeProblem::kSrc);
  map.dst = output<Unit>(operands);
  map.rank = p.rank;
  int64_t stride[TransposeProblem::kMaxRank] = {};
  int64_t step = 1;
  for (int axis = p.rank - 1; axis >= 0; --axis) {
    stride[axis] = step;
    step *= p.extent[axis];
  }
  for (int i = 0; i < p.rank; ++i) {
    const int axis = p.permutation[p.rank - 1 - i];
    map.extent[i] = Divider<Index>(p.extent[axis]);
    map.src_stride[i] = static_cast<Index>(stride[axis]);
  }
  return map;
}

Support supports(const TransposeProblem&, const DeviceInfo&) { return Support::yes(); }

}  // namespace

Status launch_permute(const TransposeProblem& problem, const Operands& operands, Stream& stream) {
  if (problem.count() == 0) return {};
  TransposeProblem p = collapse(problem);
  const auto element_bytes = static_cast<int64_t>(dtype_size_bytes(problem.dtype));
  int64_t unit_bytes = element_bytes;
  const int innermost = p.rank - 1;
  if (p.rank > 0 && p.permutation[innermost] == innermost) {
    unit_bytes = common_unit_bytes(p.extent[innermost] * element_bytes, address_of(operands.output),
                                   address_of(input<void>(operands, TransposeProblem::kSrc)));
    p.extent[innermost] = p.extent[innermost] * element_bytes / unit_bytes;
  }
  const int64_t units = p.count();
  return dispatch_unit(unit_bytes, [&]<typename Unit>() {
    return dispatch_index(units, [&]<typename Index>() {
      return launch_map(make_map<Unit, Index>(p, operands), true, units, stream);
    });
  });
}

const KernelEntry transpose_naive_entry =
    stateless_kernel_entry<TransposeProblem, supports, launch_permute>(
        "transpose_naive", "any permutation, one thread per element of dst");

}  // namespace tessera::cuda
