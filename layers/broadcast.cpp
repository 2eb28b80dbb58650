// SPDX-License-Identifier: Apache-2.0
#include "layers/broadcast.h"

#include "core/check.h"

namespace tessera {
namespace {

// Strides of `operand` along the axes of `dst`, 0 where it is broadcast.
std::vector<int64_t> broadcast_strides(const Shape& operand, const Shape& dst) {
  const std::vector<int64_t> own = operand.row_major_strides();
  const size_t missing = dst.rank() - operand.rank();
  std::vector<int64_t> strides(dst.rank(), 0);
  for (size_t axis = 0; axis < operand.rank(); ++axis) {
    if (operand[axis] != 1) strides[missing + axis] = own[axis];
  }
  return strides;
}

}  // namespace

BroadcastDims collapse_broadcast(const Shape& a, const Shape& b) {
  const auto dst = broadcast_shapes(a, b);
  TESSERA_CHECK(dst.has_value());
  const std::vector<int64_t> stride_a = broadcast_strides(a, *dst);
  const std::vector<int64_t> stride_b = broadcast_strides(b, *dst);
  BroadcastDims dims;
  for (size_t axis = 0; axis < dst->rank(); ++axis) {
    const int64_t extent = (*dst)[axis];
    if (extent == 1) continue;
    const bool merges = !dims.extent.empty() && dims.stride_a.back() == stride_a[axis] * extent &&
                        dims.stride_b.back() == stride_b[axis] * extent;
    if (merges) {
      dims.extent.back() *= extent;
      dims.stride_a.back() = stride_a[axis];
      dims.stride_b.back() = stride_b[axis];
    } else {
      dims.extent.push_back(extent);
      dims.stride_a.push_back(stride_a[axis]);
      dims.stride_b.push_back(stride_b[axis]);
    }
  }
  return dims;
}

}  // namespace tessera
