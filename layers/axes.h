// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"

namespace tessera {

// `axis` in [-rank, rank) as a non-negative index. kInvalidModel names the axis, the range and
// `tensor`, the description of the tensor that it belongs to.
Result<size_t> resolve_axis(int64_t axis, size_t rank, const std::string& tensor);

// The same for several axes, sorted. kInvalidModel also for an axis that occurs twice.
Result<std::vector<size_t>> resolve_axes(const std::vector<int64_t>& axes, size_t rank,
                                         const std::string& tensor);

// kInvalidModel when an axis is negative: before opset 11 some operators did not count axes from
// the end.
Status expect_non_negative_axes(const std::vector<int64_t>& axes);

}  // namespace tessera
