// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/primitive.h"
#include "kernels/reference/layout_offset.h"

namespace tessera::cpu {
namespace {

using reference::ImageTensor;

Support supports(const ImageProblem& problem, const DeviceInfo&) {
  return supports_f32(problem.dtype);
}

// Rows [begin, end) of all images together.
void normalize_rows(const ImageProblem& p, const uint8_t* src, float* dst, int64_t begin,
                    int64_t end) {
  const ImageTensor to{p.dst_layout, p.N, p.C, p.H, p.W};
  const int64_t step = p.W > 1 ? to.offset(0, 0, 0, 1) : 0;
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t c = 0; c < p.C; ++c) {
      const float mean = p.mean[static_cast<size_t>(c)];
      const float deviation = p.std[static_cast<size_t>(c)];
      const uint8_t* pixels = src + row * p.W * p.C + c;
      float* out = dst + to.offset(row / p.H, c, row % p.H, 0);
      for (int64_t w = 0; w < p.W; ++w) {
        out[w * step] = (static_cast<float>(pixels[w * p.C]) * p.scale - mean) / deviation;
      }
    }
  }
}

Status launch(const ImageProblem& p, const Operands& operands, Stream&) {
  const auto* src = static_cast<const uint8_t*>(operands.inputs[ImageProblem::kSrc]);
  auto* dst = static_cast<float*>(operands.output);
  const int64_t row_elements = std::max<int64_t>(p.W * p.C, 1);
  parallel_for(p.N * p.H, ceil_div(kParallelElements, row_elements),
               [&](int64_t begin, int64_t end) { normalize_rows(p, src, dst, begin, end); });
  reference::zero_channel_padding(dst, ImageTensor{p.dst_layout, p.N, p.C, p.H, p.W});
  return {};
}

}  // namespace

constinit const KernelEntry cpu_image = stateless_kernel_entry<ImageProblem, supports, launch>(
    "cpu_image", "own loops over the rows of all images");

}  // namespace tessera::cpu
