// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

Support supports(const SoftmaxProblem& problem, const DeviceInfo&) {
  return supports_f32(problem.dtype);
}

// One row of `axis` elements, `stride` apart. NaN and an infinite maximum make the sum NaN.
void softmax_row(const float* src, float* dst, int64_t axis, int64_t stride, bool log) {
  float maximum = -std::numeric_limits<float>::infinity();
  for (int64_t a = 0; a < axis; ++a) maximum = std::max(maximum, src[a * stride]);
  double sum = 0.0;
  for (int64_t a = 0; a < axis; ++a) sum += std::exp(src[a * stride] - maximum);
  const auto log_sum = static_cast<float>(std::log(sum));
  const auto scale = static_cast<float>(1.0 / sum);
  for (int64_t a = 0; a < axis; ++a) {
    const float shifted = src[a * stride] - maximum;
    dst[a * stride] = log ? shifted - log_sum : std::exp(shifted) * scale;
  }
}

Status launch(const SoftmaxProblem& p, const Operands& operands, Stream&) {
  const auto* src = static_cast<const float*>(operands.inputs[SoftmaxProblem::kSrc]);
  auto* dst = static_cast<float*>(operands.output);
  const int64_t grain = ceil_div(kParallelElements / 8, std::max<int64_t>(p.axis, 1));
  parallel_for(p.outer * p.inner, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / p.inner * p.axis * p.inner + i % p.inner;
      softmax_row(src + row, dst + row, p.axis, p.inner, p.log);
    }
  });
  return {};
}

}  // namespace

constinit const KernelEntry cpu_softmax = stateless_kernel_entry<SoftmaxProblem, supports, launch>(
    "cpu_softmax",
    "own loops, one row at a time: NaN as the formula has it, and an exact logarithm");

}  // namespace tessera::cpu
