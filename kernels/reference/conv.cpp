// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "core/math.h"
#include "kernels/reference/activation.h"
#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"
#include "kernels/reference/layout_offset.h"
#include "kernels/reference/parallel.h"

namespace tessera::reference {
namespace {

Support supports(const ConvProblem& problem, const DeviceInfo&) {
  return supports_float(problem.dtype);
}

// Output columns [begin, end) whose window column s lies inside src.
struct ColumnRange {
  int64_t begin = 0;
  int64_t end = 0;
};

ColumnRange columns_inside(const ConvProblem& p, int64_t s) {
  const int64_t first = s * p.dilation_w - p.pad_left;  // src column of output column 0
  const int64_t begin = first >= 0 ? 0 : ceil_div(-first, p.stride_w);
  const int64_t end = first >= p.W ? 0 : (p.W - 1 - first) / p.stride_w + 1;
  return {begin, std::clamp(end, begin, std::max(begin, p.Q))};
}

// Adds src * weights over the windows of output row (n, k, row) to `sums`, one per column. Each sum
// is taken in the order of the weights; going along the row inside lets the compiler vectorise.
template <typename T>
void add_window_sums(const ConvProblem& p, const ImageTensor& src_tensor, const T* src,
                     const T* weights, int64_t n, int64_t k, int64_t row,
                     std::vector<double>& sums) {
  const int64_t group_channels = p.C / p.groups;
  const int64_t first_channel = k / (p.K / p.groups) * group_channels;
  // From one column of src to the next: the same everywhere in every layout.
  const int64_t step = (src_tensor.offset(0, 0, 0, 1) - src_tensor.offset(0, 0, 0, 0)) * p.stride_w;
  for (int64_t c = 0; c < group_channels; ++c) {
    for (int64_t r = 0; r < p.R; ++r) {
      const int64_t h = row * p.stride_h - p.pad_top + r * p.dilation_h;
      if (h < 0 || h >= p.H) continue;
      for (int64_t s = 0; s < p.S; ++s) {
        const double weight = weights[((k * group_channels + c) * p.R + r) * p.S + s];
        const ColumnRange columns = columns_inside(p, s);
        const int64_t w = columns.begin * p.stride_w - p.pad_left + s * p.dilation_w;
        const T* element = src + src_tensor.offset(n, first_channel + c, h, w);
        for (int64_t q = columns.begin; q < columns.end; ++q, element += step) {
          sums[q] += weight * *element;
        }
      }
    }
  }
}

template <typename T>
void conv(const ConvProblem& problem, const Operands& operands) {
  const T* src = input<T>(operands, ConvProblem::kSrc);
  const T* weights = input<T>(operands, ConvProblem::kWeights);
  const T* bias = input<T>(operands, ConvProblem::kBias);
  const T* residual = input<T>(operands, ConvProblem::kResidual);
  T* dst = output<T>(operands);
  const Epilogue& epilogue = problem.epilogue;
  const ImageTensor src_tensor{problem.src_layout, problem.N, problem.C, problem.H, problem.W};
  const ImageTensor dst_tensor{problem.dst_layout, problem.N, problem.K, problem.P, problem.Q};
  parallel_for(problem.N * problem.K, [&](int64_t plane) {
    const int64_t n = plane / problem.K;
    const int64_t k = plane % problem.K;
    std::vector<double> sums(static_cast<size_t>(problem.Q));
    for (int64_t p = 0; p < problem.P; ++p) {
      std::fill(sums.begin(), sums.end(), 0.0);
      add_window_sums(problem, src_tensor, src, weights, n, k, p, sums);
      for (int64_t q = 0; q < problem.Q; ++q) {
        const int64_t at = dst_tensor.offset(n, k, p, q);
        double value = sums[q];
        if (epilogue.has_bias) value += bias[k];
        if (epilogue.has_residual) value += residual[at];
        dst[at] = static_cast<T>(apply_activation(epilogue.activation, value));
      }
    }
  });
  zero_channel_padding(dst, dst_tensor);
}

Status launch(const ConvProblem& problem, const Operands& operands, Stream&) {
  visit_float(problem.dtype,
              [&]<typename T>(std::type_identity<T>) { conv<T>(problem, operands); });
  return {};
}

}  // namespace

constinit const KernelEntry reference_conv = stateless_kernel_entry<ConvProblem, supports, launch>(
    "reference_conv", "one window sum per element in float64, any layout");

}  // namespace tessera::reference
