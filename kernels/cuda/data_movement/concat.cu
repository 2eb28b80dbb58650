// SPDX-License-Identifier: Apache-2.0
// concat: the operands one after the other along the middle axis of (outer, axis, inner), one
// launch per operand: a copy of rows of axis_extents[j] * inner elements into the longer rows of
// dst, in units of up to 16 bytes.
//
//   operands  any dtype, any number of them, extents of 0 included
//   alignment that of the element
//   deterministic
#include <numeric>

#include "kernels/cuda/divider.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

// Unit i of src is in row i / row_length; the rows of dst are dst_pitch units apart.
template <typename Unit, typename Index>
struct CopyRowsMap {
  static constexpr int kElements = 1;
  using Loaded = Unit;

  const Unit* src;
  Unit* dst;
  Divider<Index> row_length;
  int64_t dst_pitch;

  __device__ Unit load(int64_t i) const { return src[i]; }
  __device__ void store(int64_t i, const Unit& unit) const {
    const auto [row, column] = row_length.divide(static_cast<Index>(i));
    dst[row * dst_pitch + column] = unit;
  }
  __device__ void one(int64_t i) const { store(i, load(i)); }
};

// Rows of row_bytes bytes to rows that start dst_pitch_bytes apart.
Status copy_rows(const std::byte* src, std::byte* dst, int64_t rows, int64_t row_bytes,
                 int64_t dst_pitch_bytes, Stream& stream) {
  if (rows == 0 || row_bytes == 0) return {};
  const int64_t unit_bytes =
      common_unit_bytes(row_bytes, dst_pitch_bytes, address_of(src), address_of(dst));
  const int64_t units = rows * row_bytes / unit_bytes;
  return dispatch_unit(unit_bytes, [&]<typename Unit>() {
    return dispatch_index(units, [&]<typename Index>() {
      const CopyRowsMap<Unit, Index> map = {
          reinterpret_cast<const Unit*>(src), reinterpret_cast<Unit*>(dst),
          Divider<Index>(row_bytes / unit_bytes), dst_pitch_bytes / unit_bytes};
      return launch_map(map, true, units, stream);
    });
  });
}

Support supports(const ConcatProblem&, const DeviceInfo&) { return Support::yes(); }

Status launch_concat(const ConcatProblem& problem, const Operands& operands, Stream& stream) {
  const std::vector<int64_t>& extents = problem.axis_extents;
  const int64_t slice_bytes = problem.inner * static_cast<int64_t>(dtype_size_bytes(problem.dtype));
  const int64_t dst_pitch_bytes =
      std::accumulate(extents.begin(), extents.end(), int64_t{0}) * slice_bytes;
  int64_t row_offset = 0;
  for (size_t j = 0; j < extents.size(); ++j) {
    const int64_t row_bytes = extents[j] * slice_bytes;
    TESSERA_RETURN_IF_ERROR(copy_rows(input<std::byte>(operands, static_cast<int>(j)),
                                      output<std::byte>(operands) + row_offset, problem.outer,
                                      row_bytes, dst_pitch_bytes, stream));
    row_offset += row_bytes;
  }
  return {};
}

}  // namespace

const KernelEntry concat_entry = stateless_kernel_entry<ConcatProblem, supports, launch_concat>(
    "concat", "one launch per operand, rows in units of up to 16 bytes");

}  // namespace tessera::cuda
