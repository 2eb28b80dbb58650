// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"
#include "kernels/reference/layout_offset.h"

namespace tessera::reference {
namespace {

Support supports(const ReorderProblem&, const DeviceInfo&) { return Support::yes(); }

Status launch(const ReorderProblem& problem, const Operands& operands, Stream&) {
  const ImageTensor from{problem.from, problem.N, problem.C, problem.H, problem.W};
  const ImageTensor to{problem.to, problem.N, problem.C, problem.H, problem.W};
  visit_storage(problem.dtype, [&]<typename T>(std::type_identity<T>) {
    const T* src = input<T>(operands, ReorderProblem::kSrc);
    T* dst = output<T>(operands);
    for (int64_t n = 0; n < problem.N; ++n) {
      for (int64_t c = 0; c < problem.C; ++c) {
        for (int64_t h = 0; h < problem.H; ++h) {
          for (int64_t w = 0; w < problem.W; ++w) {
            dst[to.offset(n, c, h, w)] = src[from.offset(n, c, h, w)];
          }
        }
      }
    }
    zero_channel_padding(dst, to);
  });
  return {};
}

}  // namespace

constinit const KernelEntry reference_reorder =
    stateless_kernel_entry<ReorderProblem, supports, launch>(
        "reference_reorder", "element by element between any two layouts");

}  // namespace tessera::reference
