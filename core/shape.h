// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace tessera {

// Extents of a tensor, outermost first. Rank 0 is a scalar with one element. Extents are >= 0.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> extents) : extents_(extents) {}
  explicit Shape(std::vector<int64_t> extents) : extents_(std::move(extents)) {}

  [[nodiscard]] size_t rank() const { return extents_.size(); }
  [[nodiscard]] int64_t extent(size_t axis) const { return extents_[axis]; }
  int64_t operator[](size_t axis) const { return extents_[axis]; }
  int64_t& operator[](size_t axis) { return extents_[axis]; }
  [[nodiscard]] const std::vector<int64_t>& extents() const { return extents_; }

  // Product of all extents. Requires: it fits (check with checked_num_elements first).
  [[nodiscard]] int64_t num_elements() const { return num_elements(0, rank()); }
  // Product of the extents of axes [first, last); 1 when that range is empty.
  [[nodiscard]] int64_t num_elements(size_t first, size_t last) const;
  // Product of all extents, or nothing when it overflows 64 bits or an extent is negative.
  [[nodiscard]] std::optional<int64_t> checked_num_elements() const;

  // Strides in elements of a row-major tensor of this shape.
  [[nodiscard]] std::vector<int64_t> row_major_strides() const;

  // "(2, 3, 4)"
  [[nodiscard]] std::string to_string() const;

  bool operator==(const Shape&) const = default;

 private:
  std::vector<int64_t> extents_;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

// The shape that numpy-style broadcasting of a and b gives, or nothing when they do not fit.
std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b);

// `axis` in [-rank, rank) made non-negative, or nothing when out of range.
std::optional<size_t> normalize_axis(int64_t axis, size_t rank);

}  // namespace tessera
