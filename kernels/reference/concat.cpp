// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

Support supports(const ConcatProblem&, const DeviceInfo&) { return Support::yes(); }

Status launch(const ConcatProblem& problem, const Operands& operands, Stream&) {
  const auto slice_bytes = static_cast<size_t>(problem.inner) * dtype_size_bytes(problem.dtype);
  std::byte* dst = output<std::byte>(operands);
  for (int64_t o = 0; o < problem.outer; ++o) {
    for (size_t j = 0; j < problem.axis_extents.size(); ++j) {
      const size_t bytes = static_cast<size_t>(problem.axis_extents[j]) * slice_bytes;
      if (bytes == 0) continue;
      const std::byte* src = input<std::byte>(operands, static_cast<int>(j));
      std::memcpy(dst, src + static_cast<size_t>(o) * bytes, bytes);
      dst += bytes;
    }
  }
  return {};
}

}  // namespace

constinit const KernelEntry reference_concat =
    stateless_kernel_entry<ConcatProblem, supports, launch>("reference_concat",
                                                            "one copy per operand and outer index");

}  // namespace tessera::reference
