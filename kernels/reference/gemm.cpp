// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kernels/reference/activation.h"
#include "kernels/reference/dispatch.h"
#include "kernels/reference/kernels.h"
#include "kernels/reference/parallel.h"

namespace tessera::reference {
namespace {

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  return supports_float(problem.dtype);
}

// Offset in elements of batch index `batch` (last dimension fastest) with the given strides.
int64_t batch_offset(const GemmProblem& p, int64_t batch,
                     const std::array<int64_t, GemmProblem::kMaxBatchRank>& stride) {
  int64_t offset = 0;
  for (int d = p.batch_rank; d-- > 0;) {
    offset += batch % p.batch_extent[d] * stride[d];
    batch /= p.batch_extent[d];
  }
  return offset;
}

template <typename T>
double dot_product(const GemmProblem& p, const T* a, const T* b, int64_t m, int64_t n) {
  double sum = 0.0;
  for (int64_t k = 0; k < p.K; ++k) {
    const double a_mk = p.transpose_a ? a[k * p.lda + m] : a[m * p.lda + k];
    const double b_kn = p.transpose_b ? b[n * p.ldb + k] : b[k * p.ldb + n];
    sum += a_mk * b_kn;
  }
  return sum;
}

template <typename T>
void gemm(const GemmProblem& p, const Operands& operands) {
  const T* bias = input<T>(operands, GemmProblem::kBias);
  const T* residual = input<T>(operands, GemmProblem::kResidual);
  T* d = output<T>(operands);
  parallel_for(p.batch() * p.M, [&](int64_t row) {
    const int64_t batch = row / p.M;
    const int64_t m = row % p.M;
    const T* a = input<T>(operands, GemmProblem::kA) + batch_offset(p, batch, p.batch_stride_a);
    const T* b = input<T>(operands, GemmProblem::kB) + batch_offset(p, batch, p.batch_stride_b);
    for (int64_t n = 0; n < p.N; ++n) {
      const int64_t at = row * p.ldd + n;
      double value = p.alpha * dot_product(p, a, b, m, n);
      if (p.epilogue.has_bias) {
        value += static_cast<double>(p.beta) * bias[m * p.bias_stride_m + n * p.bias_stride_n];
      }
      if (p.epilogue.has_residual) value += residual[at];
      d[at] = static_cast<T>(apply_activation(p.epilogue.activation, value));
    }
  });
}

Status launch(const GemmProblem& problem, const Operands& operands, Stream&) {
  visit_float(problem.dtype,
              [&]<typename T>(std::type_identity<T>) { gemm<T>(problem, operands); });
  return {};
}

}  // namespace

constinit const KernelEntry reference_gemm = stateless_kernel_entry<GemmProblem, supports, launch>(
    "reference_gemm", "one dot product per element in float64");

}  // namespace tessera::reference
