// SPDX-License-Identifier: Apache-2.0
#include "core/shape.h"

#include <algorithm>

#include "core/math.h"

namespace tessera {

int64_t Shape::num_elements(size_t first, size_t last) const {
  int64_t product = 1;
  for (size_t axis = first; axis < last; ++axis) product *= extents_[axis];
  return product;
}

std::optional<int64_t> Shape::checked_num_elements() const {
  // A zero extent makes the product zero only if the other extents would have been legal alone:
  // (2^62, 4, 0) is refused, so that no order of evaluation can overflow later.
  int64_t product = 1;
  bool has_zero = false;
  for (const int64_t extent : extents_) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      has_zero = true;
      continue;
    }
    const auto next = checked_multiply(product, extent);
    if (!next) return std::nullopt;
    product = *next;
  }
  return has_zero ? 0 : product;
}

std::vector<int64_t> Shape::row_major_strides() const {
  std::vector<int64_t> strides(rank(), 1);
  for (size_t axis = rank(); axis-- > 1;) strides[axis - 1] = strides[axis] * extents_[axis];
  return strides;
}

std::string Shape::to_string() const {
  std::string text = "(";
  for (size_t axis = 0; axis < rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(extents_[axis]);
  }
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.to_string(); }

std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> extents(rank);
  for (size_t from_end = 1; from_end <= rank; ++from_end) {
    const int64_t extent_a = from_end <= a.rank() ? a[a.rank() - from_end] : 1;
    const int64_t extent_b = from_end <= b.rank() ? b[b.rank() - from_end] : 1;
    if (extent_a != extent_b && extent_a != 1 && extent_b != 1) return std::nullopt;
    extents[rank - from_end] = extent_a == 1 ? extent_b : extent_a;
  }
  return Shape(std::move(extents));
}

std::optional<size_t> normalize_axis(int64_t axis, size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + signed_rank : axis);
}

}  // namespace tessera
