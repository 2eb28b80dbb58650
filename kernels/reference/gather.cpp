// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

Support supports(const GatherProblem& problem, const DeviceInfo&) {
  if (problem.index_dtype == DType::kI32 || problem.index_dtype == DType::kI64) {
    return Support::yes();
  }
  return Support::no(std::string("indices are int32 or int64, not ") +
                     dtype_name(problem.index_dtype));
}

int64_t index_at(const GatherProblem& problem, const Operands& operands, int64_t position) {
  return problem.index_dtype == DType::kI32
             ? input<int32_t>(operands, GatherProblem::kIndices)[position]
             : input<int64_t>(operands, GatherProblem::kIndices)[position];
}

Status launch(const GatherProblem& problem, const Operands& operands, Stream&) {
  const auto slice_bytes = static_cast<size_t>(problem.inner) * dtype_size_bytes(problem.dtype);
  const std::byte* src = input<std::byte>(operands, GatherProblem::kSrc);
  std::byte* dst = output<std::byte>(operands);
  for (int64_t j = 0; j < problem.index_count; ++j) {
    const int64_t index = index_at(problem, operands, j);
    if (index < -problem.axis || index >= problem.axis) {
      return invalid_argument("gather: index " + std::to_string(index) + " at position " +
                              std::to_string(j) + " is not in [" + std::to_string(-problem.axis) +
                              ", " + std::to_string(problem.axis) + ")");
    }
    if (slice_bytes == 0) continue;
    const int64_t row = index < 0 ? index + problem.axis : index;
    for (int64_t o = 0; o < problem.outer; ++o) {
      std::memcpy(dst + static_cast<size_t>(o * problem.index_count + j) * slice_bytes,
                  src + static_cast<size_t>(o * problem.axis + row) * slice_bytes, slice_bytes);
    }
  }
  return {};
}

}  // namespace

constinit const KernelEntry reference_gather =
    stateless_kernel_entry<GatherProblem, supports, launch>(
        "reference_gather", "one copy per index; an index out of range is an error");

}  // namespace tessera::reference
