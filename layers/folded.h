// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/status.h"
#include "core/tensor.h"

namespace tessera {

// The largest constant that a layer makes by itself: a few bytes of a model file can ask for any
// size.
inline constexpr int64_t kLargestFoldedBytes = int64_t{2} << 30;

// kOutOfMemory names the size when `desc` is larger than kLargestFoldedBytes or overflows.
Status check_folded_size(const TensorDesc& desc);

// A tensor whose every element is the single element of `value`. Requires: value has one element.
Result<Tensor> filled_tensor(const Shape& shape, const Tensor& value);

}  // namespace tessera
