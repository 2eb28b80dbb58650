// SPDX-License-Identifier: Apache-2.0
// gather: dst[o, j, i] = src[o, indices[j], i]: each thread copies units of up to 16 bytes.
//
//   operands  any dtype; indices int32 or int64, negative ones count from the end
//   alignment that of the element
//   an index out of range gives zeros
//   deterministic
#include "kernels/cuda/divider.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

// Numbered by units of dst, (outer, index_count, inner).
template <typename Unit, typename Position, typename Index>
struct GatherMap {
  static constexpr int kElements = 1;
  using Loaded = Unit;

  const Unit* src;
  const Position* indices;
  Unit* dst;
  Divider<Index> inner;
  Divider<Index> index_count;
  int64_t axis;
  int64_t inner_extent;

  __device__ Unit load(int64_t i) const {
    const auto [row, column] = inner.divide(static_cast<Index>(i));
    const auto [outer, j] = index_count.divide(row);
    int64_t index = indices[j];
    if (index < 0) index += axis;
    if (index < 0 || index >= axis) return Unit{};
    return src[(outer * axis + index) * inner_extent + column];
  }
  __device__ void store(int64_t i, const Unit& unit) const { dst[i] = unit; }
  __device__ void one(int64_t i) const { store(i, load(i)); }
};

Support supports(const GatherProblem& problem, const DeviceInfo&) {
  if (problem.index_dtype == DType::kI32 || problem.index_dtype == DType::kI64) {
    return Support::yes();
  }
  return Support::no(std::string("indices of ") + dtype_name(problem.index_dtype) +
                     " are neither int32 nor int64");
}

template <typename Position>
Status launch_with(const GatherProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t slice_bytes = problem.inner * static_cast<int64_t>(dtype_size_bytes(problem.dtype));
  const auto* src = input<std::byte>(operands, GatherProblem::kSrc);
  auto* dst = output<std::byte>(operands);
  const int64_t unit_bytes = common_unit_bytes(slice_bytes, address_of(src), address_of(dst));
  const int64_t inner = slice_bytes / unit_bytes;
  const int64_t units = problem.outer * problem.index_count * inner;
  return dispatch_unit(unit_bytes, [&]<typename Unit>() {
    return dispatch_index(units, [&]<typename Index>() {
      const GatherMap<Unit, Position, Index> map = {
          reinterpret_cast<const Unit*>(src),
          input<Position>(operands, GatherProblem::kIndices),
          reinterpret_cast<Unit*>(dst),
          Divider<Index>(inner),
          Divider<Index>(problem.index_count),
          problem.axis,
          inner};
      return launch_map(map, true, units, stream);
    });
  });
}

Status launch_gather(const GatherProblem& problem, const Operands& operands, Stream& stream) {
  if (problem.outer * problem.index_count * problem.inner == 0) return {};
  if (problem.index_dtype == DType::kI32) return launch_with<int32_t>(problem, operands, stream);
  return launch_with<int64_t>(problem, operands, stream);
}

}  // namespace

const KernelEntry gather_entry = stateless_kernel_entry<GatherProblem, supports, launch_gather>(
    "gather", "slices in units of up to 16 bytes");

}  // namespace tessera::cuda
