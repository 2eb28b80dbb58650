// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"
#include "kernels/reference/layout_offset.h"

namespace tessera::reference {
namespace {

Support supports(const ImageProblem& problem, const DeviceInfo&) {
  return supports_float(problem.dtype);
}

// In float32 even when float64 is stored: the formula fixes every bit of the result.
template <typename T>
void image(const ImageProblem& problem, const Operands& operands) {
  const auto* src = input<uint8_t>(operands, ImageProblem::kSrc);
  T* dst = output<T>(operands);
  const ImageTensor from{Layout::kNHWC, problem.N, problem.C, problem.H, problem.W};
  const ImageTensor to{problem.dst_layout, problem.N, problem.C, problem.H, problem.W};
  for (int64_t n = 0; n < problem.N; ++n) {
    for (int64_t c = 0; c < problem.C; ++c) {
      const float mean = problem.mean[static_cast<size_t>(c)];
      const float deviation = problem.std[static_cast<size_t>(c)];
      for (int64_t h = 0; h < problem.H; ++h) {
        for (int64_t w = 0; w < problem.W; ++w) {
          const auto pixel = static_cast<float>(src[from.offset(n, c, h, w)]);
          dst[to.offset(n, c, h, w)] = static_cast<T>((pixel * problem.scale - mean) / deviation);
        }
      }
    }
  }
  zero_channel_padding(dst, to);
}

Status launch(const ImageProblem& problem, const Operands& operands, Stream&) {
  visit_float(problem.dtype,
              [&]<typename T>(std::type_identity<T>) { image<T>(problem, operands); });
  return {};
}

}  // namespace

constinit const KernelEntry reference_image =
    stateless_kernel_entry<ImageProblem, supports, launch>(
        "reference_image", "pixels to normalised floats, element by element");

}  // namespace tessera::reference
