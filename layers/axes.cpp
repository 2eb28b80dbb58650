// SPDX-License-Identifier: Apache-2.0
#include "layers/axes.h"

#include <algorithm>

#include "core/shape.h"

namespace tessera {

Result<size_t> resolve_axis(int64_t axis, size_t rank, const std::string& tensor) {
  if (const auto index = normalize_axis(axis, rank)) return *index;
  const std::string range = rank == 0 ? "a scalar has no axes"
                                      : "expected a value in [-" + std::to_string(rank) + ", " +
                                            std::to_string(rank - 1) + "]";
  return invalid_model("axis " + std::to_string(axis) + " of " + tensor + ": " + range);
}

Result<std::vector<size_t>> resolve_axes(const std::vector<int64_t>& axes, size_t rank,
                                         const std::string& tensor) {
  std::vector<size_t> resolved;
  for (const int64_t axis : axes) {
    TESSERA_ASSIGN_OR_RETURN(const size_t index, resolve_axis(axis, rank, tensor));
    resolved.push_back(index);
  }
  std::sort(resolved.begin(), resolved.end());
  const auto twice = std::adjacent_find(resolved.begin(), resolved.end());
  if (twice != resolved.end()) {
    return invalid_model("axis " + std::to_string(*twice) + " of " + tensor +
                         " is named more than once");
  }
  return resolved;
}

Status expect_non_negative_axes(const std::vector<int64_t>& axes) {
  for (const int64_t axis : axes) {
    if (axis < 0) {
      return invalid_model("axis " + std::to_string(axis) +
                           ": this operator counts axes from the end only from opset 11 on");
    }
  }
  return {};
}

}  // namespace tessera
