// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/epilogue.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  return supports_f32(problem.dtype);
}

// Offset in elements of batch index `batch` (last dimension fastest).
int64_t batch_offset(const GemmProblem& p, int64_t batch,
                     const std::array<int64_t, GemmProblem::kMaxBatchRank>& stride) {
  int64_t offset = 0;
  for (int d = p.batch_rank; d-- > 0;) {
    offset += batch % p.batch_extent[d] * stride[d];
    batch /= p.batch_extent[d];
  }
  return offset;
}

// BLAS does not read A and B when alpha is 0, but their NaN must reach D: then alpha comes after.
float blas_alpha(const GemmProblem& p) { return p.alpha == 0.0f ? 1.0f : p.alpha; }

void scale_by_zero(const GemmProblem& p, float* d) {
  for (int64_t row = 0; row < p.batch() * p.M; ++row) {
    for (int64_t n = 0; n < p.N; ++n) d[row * p.ldd + n] *= p.alpha;
  }
}

// D = alpha * op(A) * op(B), one matrix after the other.
Status multiply(const GemmProblem& p, const float* a, const float* b, float* d) {
  for (int64_t batch = 0; batch < p.batch(); ++batch) {
    float* matrix = d + batch * p.M * p.ldd;
    if (p.K == 0) {
      for (int64_t m = 0; m < p.M; ++m) std::fill_n(matrix + m * p.ldd, p.N, 0.0f);
      continue;
    }
    constexpr float kOverwrite = 0.0f;
    const dnnl_status_t status =
        dnnl_sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.M, p.N, p.K,
                   blas_alpha(p), a + batch_offset(p, batch, p.batch_stride_a), p.lda,
                   b + batch_offset(p, batch, p.batch_stride_b), p.ldb, kOverwrite, matrix, p.ldd);
    if (status == dnnl_out_of_memory) return out_of_memory("oneDNN: out of memory in sgemm");
    if (status != dnnl_success) {
      return internal_error("oneDNN refuses the arguments of sgemm, status " +
                            std::to_string(status));
    }
  }
  if (p.alpha == 0.0f) scale_by_zero(p, d);
  return {};
}

void add_bias(const GemmProblem& p, const float* bias, float* d) {
  const int64_t grain = ceil_div(kParallelElements, std::max<int64_t>(p.N, 1));
  parallel_for(p.batch() * p.M, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* from = bias + row % p.M * p.bias_stride_m;
      for (int64_t n = 0; n < p.N; ++n) d[row * p.ldd + n] += p.beta * from[n * p.bias_stride_n];
    }
  });
}

Status launch(const GemmProblem& p, const Operands& operands, Stream&) {
  const auto operand = [&](int index) {
    return static_cast<const float*>(operands.inputs[static_cast<size_t>(index)]);
  };
  auto* d = static_cast<float*>(operands.output);
  if (p.batch() * p.M * p.N == 0) return {};
  TESSERA_RETURN_IF_ERROR(multiply(p, operand(GemmProblem::kA), operand(GemmProblem::kB), d));
  if (p.epilogue.has_bias) add_bias(p, operand(GemmProblem::kBias), d);
  if (p.epilogue.has_residual || p.epilogue.activation.kind != ActivationKind::kNone) {
    const float* residual = p.epilogue.has_residual ? operand(GemmProblem::kResidual) : nullptr;
    apply_epilogue(p.epilogue.activation, residual, d, {p.batch() * p.M, p.N, p.ldd});
  }
  return {};
}

}  // namespace

constinit const KernelEntry onednn_sgemm = stateless_kernel_entry<GemmProblem, supports, launch>(
    "onednn_sgemm", "oneDNN's BLAS-like sgemm per matrix, then own passes: any strides and scales");

}  // namespace tessera::cpu
