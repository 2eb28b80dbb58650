// SPDX-License-Identifier: Apache-2.0
// cublas_gemm: D = activation(alpha * op(A) * op(B) + beta * bias + residual): the product by
// cuBLAS, the epilogue by one pass over D after it.
//
//   operands  float32, strict (CUBLAS_PEDANTIC_MATH, no TF32); batch with one stride at most
//   limits    M, N, K, leading dimensions and batch below 2^31; not for small problems (below), nor
//             for alpha = 0, with which cuBLAS would lose the NaN of A and B
//   workspace of its own, so that it can be captured and gives the same bits on every run
//
// cuBLAS is column-major. A row-major matrix with leading dimension ld is its transpose read
// column-major with the same ld, so D = A * B becomes D^T = B^T * A^T: the operands change places
// and keep their transpose flags.
#include <limits>

#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/support.h"
#include "kernels/cuda/vendor/cublas.h"
#include "kernels/cuda/vendor/gemm_epilogue.h"

namespace tessera::cuda {
namespace {

// Below this many multiply-adds a product takes a few microseconds in any kernel: then one launch
// with a fused epilogue beats a library call and a second pass, and a model made of such layers
// need not load cuBLAS at all, which costs far more than it could ever save.
constexpr int kMinMultiplyAdds = 64 * 64 * 64;

// What NVIDIA recommends for Hopper; older GPUs get by with less.
constexpr size_t kWorkspaceBytes = size_t{32} << 20;

bool fits_int(int64_t value) { return value <= std::numeric_limits<int>::max(); }

Support supports(const GemmProblem& p, const DeviceInfo&) {
  if (p.dtype != DType::kF32) return support_float32(p.dtype);
  if (p.alpha == 0.0f) return Support::no("alpha is 0: cuBLAS would not read A and B");
  if (p.batch_rank > 1) {
    return Support::no("the batch has " + std::to_string(p.batch_rank) +
                       " dimensions and cuBLAS takes one stride");
  }
  for (const int64_t extent : {p.M, p.N, p.K, p.lda, p.ldb, p.ldd, p.batch()}) {
    if (!fits_int(extent)) return Support::no("an extent is over cuBLAS's limit of 2^31 - 1");
  }
  // In double, since the product of four 31-bit numbers may not fit an integer.
  const double multiply_adds = static_cast<double>(p.batch()) * static_cast<double>(p.M) *
                               static_cast<double>(p.N) * static_cast<double>(p.K);
  if (multiply_adds < kMinMultiplyAdds) {
    return Support::no("fewer than " + std::to_string(kMinMultiplyAdds) +
                       " multiply-adds: a library call costs more than it saves");
  }
  if (!cublas().ok()) return Support::no(cublas().status().message());
  return Support::yes();
}

class CublasGemm final : public Kernel {
 public:
  CublasGemm(const GemmProblem& problem, std::shared_ptr<CublasHandle> handle)
      : problem_(problem), handle_(std::move(handle)) {}

  [[nodiscard]] size_t workspace_bytes() const override { return kWorkspaceBytes; }

  Status launch(const Operands& operands, Stream& stream) override {
    TESSERA_ASSIGN_OR_RETURN(const cudaStream_t cuda_stream, activate(stream));
    TESSERA_RETURN_IF_ERROR(multiply(operands, cuda_stream));
    return launch_gemm_epilogue(problem_, operands, stream);
  }

 private:
  Status multiply(const Operands& operands, cudaStream_t stream) {
    const GemmProblem& p = problem_;
    const auto as_int = [](int64_t value) { return static_cast<int>(value); };
    const auto operation = [](bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const float zero = 0.0f;
    const int64_t stride_a = p.batch_rank == 1 ? p.batch_stride_a[0] : 0;
    const int64_t stride_b = p.batch_rank == 1 ? p.batch_stride_b[0] : 0;

    const std::lock_guard<std::mutex> lock(handle_->mutex());
    const cublasHandle_t handle = handle_->get();
    // Setting the stream resets the workspace, hence the order.
    TESSERA_CUBLAS_RETURN_IF_ERROR(cublas()->set_stream(handle, stream), "cublasSetStream");
    TESSERA_CUBLAS_RETURN_IF_ERROR(
        cublas()->set_workspace(handle, operands.workspace, kWorkspaceBytes), "cublasSetWorkspace");
    TESSERA_CUBLAS_RETURN_IF_ERROR(
        cublas()->sgemm_strided_batched(
            handle, operation(p.transpose_b), operation(p.transpose_a), as_int(p.N), as_int(p.M),
            as_int(p.K), &p.alpha, input<float>(operands, GemmProblem::kB), as_int(p.ldb), stride_b,
            input<float>(operands, GemmProblem::kA), as_int(p.lda), stride_a, &zero,
            output<float>(operands), as_int(p.ldd), p.M * p.ldd, as_int(p.batch())),
        "cublasSgemmStridedBatched");
    return {};
  }

  GemmProblem problem_;
  std::shared_ptr<CublasHandle> handle_;
};

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device& device) {
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<CublasHandle> handle,
                           cublas_handle(device.info().ordinal));
  return std::unique_ptr<Kernel>(
      std::make_unique<CublasGemm>(std::get<GemmProblem>(problem), std::move(handle)));
}

}  // namespace

const KernelEntry cublas_gemm_entry = {"cublas_gemm", GemmProblem::kFamily,
                                       "cuBLAS's float32 product and a pass for the epilogue",
                                       [](const Problem& problem, const DeviceInfo& device) {
                                         return supports(std::get<GemmProblem>(problem), device);
                                       },
                                       create};

}  // namespace tessera::cuda
