// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/shape.h"

namespace tessera {

// Two operands walked through together: at index i operand a is read at the sum of
// i[d] * stride_a[d], with stride 0 where it is broadcast.
struct BroadcastDims {
  std::vector<int64_t> extent;
  std::vector<int64_t> stride_a;
  std::vector<int64_t> stride_b;
};

// How row-major operands of shape `a` and `b` are read under numpy's rules, in as few dimensions as
// possible: extents of 1 are dropped and neighbours that both operands walk through evenly are
// merged. Without broadcasting one dimension is left, for a single element none. Requires:
// broadcast_shapes(a, b) has a value.
BroadcastDims collapse_broadcast(const Shape& a, const Shape& b);

}  // namespace tessera
