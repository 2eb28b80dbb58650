// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/vendor/library_gemm.h"

#include <limits>

#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// Below this many multiply-adds a product takes a few microseconds in any kernel: then one launch
// with a fused epilogue beats a library call and a second pass, and a model made of such layers
// need not load a library at all, which costs far more than it could ever save.
constexpr int kMinMultiplyAdds = 64 * 64 * 64;

bool fits_int(int64_t value) { return value <= std::numeric_limits<int>::max(); }

}  // namespace

Support support_library_gemm(const GemmProblem& p) {
  if (!support_float(p.dtype).ok()) return support_float(p.dtype);
  if (p.alpha == 0.0f) return Support::no("alpha is 0: the library would not read A and B");
  if (p.batch_rank > 1) {
    return Support::no("the batch has " + std::to_string(p.batch_rank) +
                       " dimensions and the library takes one stride");
  }
  for (const int64_t extent : {p.M, p.N, p.K, p.lda, p.ldb, p.ldd, p.batch()}) {
    if (!fits_int(extent)) return Support::no("an extent is over the library's limit of 2^31 - 1");
  }
  // In double, since the product of four 31-bit numbers may not fit an integer.
  const double multiply_adds = static_cast<double>(p.batch()) * static_cast<double>(p.M) *
                               static_cast<double>(p.N) * static_cast<double>(p.K);
  if (multiply_adds < kMinMultiplyAdds) {
    return Support::no("fewer than " + std::to_string(kMinMultiplyAdds) +
                       " multiply-adds: a library call costs more than it saves");
  }
  return Support::yes();
}

cudaDataType_t library_data_type(DType dtype) {
  if (dtype == DType::kF16) return CUDA_R_16F;
  return dtype == DType::kBF16 ? CUDA_R_16BF : CUDA_R_32F;
}

cublasComputeType_t library_compute_type(const GemmProblem& problem) {
  if (problem.dtype != DType::kF32) return CUBLAS_COMPUTE_32F;
  return problem.allow_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F_PEDANTIC;
}

bool needs_float_product(DType dtype, const Epilogue& epilogue) {
  const ActivationKind kind = epilogue.activation.kind;
  const bool rounding_may_come_first =
      kind == ActivationKind::kNone || kind == ActivationKind::kRelu;
  return dtype != DType::kF32 &&
         (epilogue.has_bias || epilogue.has_residual || !rounding_may_come_first);
}

size_t float_product_bytes(const GemmProblem& p) {
  return static_cast<size_t>(p.batch() * p.M * p.N) * sizeof(float);
}

}  // namespace tessera::cuda
