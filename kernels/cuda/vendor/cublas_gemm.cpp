// SPDX-License-Identifier: Apache-2.0
// cublas_gemm: D = activation(alpha * op(A) * op(B) + beta * bias + residual): the product by
// cuBLAS, the epilogue by one pass over D after it.
//
//   operands  float32 (strict, or TF32 where the problem allows it), float16, bfloat16; batch with
//             one stride at most
//   limits    M, N, K, leading dimensions and batch below 2^31; not for small problems, nor for
//             alpha = 0
//   sum       float32; a float16 or bfloat16 product with an epilogue stays in float32 until then
//   workspace of its own, so that it can be captured and gives the same bits on every run
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/vendor/cublas.h"
#include "kernels/cuda/vendor/gemm_epilogue.h"
#include "kernels/cuda/vendor/library_gemm.h"

namespace tessera::cuda {
namespace {

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  const Support common = support_library_gemm(problem);
  if (!common.ok()) return common;
  if (!cublas().ok()) return Support::no(cublas().status().message());
  return Support::yes();
}

class CublasGemm final : public Kernel {
 public:
  CublasGemm(const GemmProblem& problem, std::shared_ptr<CublasHandle> handle)
      : problem_(problem),
        handle_(std::move(handle)),
        float_product_(needs_float_product(problem.dtype, problem.epilogue)) {}

  [[nodiscard]] size_t workspace_bytes() const override {
    return kLibraryWorkspaceBytes + (float_product_ ? float_product_bytes(problem_) : 0);
  }

  Status launch(const Operands& operands, Stream& stream) override {
    TESSERA_ASSIGN_OR_RETURN(const cudaStream_t cuda_stream, activate(stream));
    auto* product = float_product_
                        ? reinterpret_cast<float*>(static_cast<std::byte*>(operands.workspace) +
                                                   kLibraryWorkspaceBytes)
                        : nullptr;
    TESSERA_RETURN_IF_ERROR(multiply(operands, product, cuda_stream));
    return launch_gemm_epilogue(problem_, product, operands, stream);
  }

 private:
  // Leaves the product in `product`, dense, or when that is null in D.
  Status multiply(const Operands& operands, float* product, cudaStream_t stream) {
    const GemmProblem& p = problem_;
    const auto as_int = [](int64_t value) { return static_cast<int>(value); };
    const float zero = 0.0f;
    const int64_t stride_a = p.batch_rank == 1 ? p.batch_stride_a[0] : 0;
    const int64_t stride_b = p.batch_rank == 1 ? p.batch_stride_b[0] : 0;
    const int64_t ld = product != nullptr ? p.N : p.ldd;
    void* const result = product != nullptr ? product : operands.output;
    const cudaDataType_t type = library_data_type(p.dtype);
    const cudaDataType_t result_type = product != nullptr ? CUDA_R_32F : type;

    const std::lock_guard<std::mutex> lock(handle_->mutex());
    const cublasHandle_t handle = handle_->get();
    // Setting the stream resets the workspace, hence the order.
    TESSERA_CUBLAS_RETURN_IF_ERROR(cublas()->set_stream(handle, stream), "cublasSetStream");
    TESSERA_CUBLAS_RETURN_IF_ERROR(
        cublas()->set_workspace(handle, operands.workspace, kLibraryWorkspaceBytes),
        "cublasSetWorkspace");
    TESSERA_CUBLAS_RETURN_IF_ERROR(
        cublas()->gemm_strided_batched_ex(
            handle, library_operation(p.transpose_b), library_operation(p.transpose_a), as_int(p.N),
            as_int(p.M), as_int(p.K), &p.alpha, input<void>(operands, GemmProblem::kB), type,
            as_int(p.ldb), stride_b, input<void>(operands, GemmProblem::kA), type, as_int(p.lda),
            stride_a, &zero, result, result_type, as_int(ld), p.M * ld, as_int(p.batch()),
            library_compute_type(p), CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
    return {};
  }

  GemmProblem problem_;
  std::shared_ptr<CublasHandle> handle_;
  bool float_product_;
};

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device& device) {
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<CublasHandle> handle,
                           cublas_handle(device.info().ordinal));
  return std::unique_ptr<Kernel>(
      std::make_unique<CublasGemm>(std::get<GemmProblem>(problem), std::move(handle)));
}

}  // namespace

const KernelEntry cublas_gemm_entry = {"cublas_gemm", GemmProblem::kFamily,
                                       "cuBLAS's product and a pass for the epilogue",
                                       [](const Problem& problem, const DeviceInfo& device) {
                                         return supports(std::get<GemmProblem>(problem), device);
                                       },
                                       create};

}  // namespace tessera::cuda
