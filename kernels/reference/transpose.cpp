// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"

namespace tessera::reference {
namespace {

Support supports(const TransposeProblem&, const DeviceInfo&) { return Support::yes(); }

Status launch(const TransposeProblem& problem, const Operands& operands, Stream&) {
  std::array<int64_t, TransposeProblem::kMaxRank> stride = {};
  int64_t elements = 1;
  for (int d = problem.rank; d-- > 0;) {
    stride[d] = elements;
    elements *= problem.extent[d];
  }
  visit_storage(problem.dtype, [&]<typename T>(std::type_identity<T>) {
    const T* src = input<T>(operands, TransposeProblem::kSrc);
    T* dst = output<T>(operands);
    for (int64_t i = 0; i < elements; ++i) {
      int64_t rest = i;
      int64_t offset = 0;
      for (int d = problem.rank; d-- > 0;) {
        const int axis = problem.permutation[d];
        offset += rest % problem.extent[axis] * stride[axis];
        rest /= problem.extent[axis];
      }
      dst[i] = src[offset];
    }
  });
  return {};
}

}  // namespace

constinit const KernelEntry reference_transpose =
    stateless_kernel_entry<TransposeProblem, supports, launch>(
        "reference_transpose", "element by element in the order of the result");

}  // namespace tessera::reference
