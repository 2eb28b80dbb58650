// SPDX-License-Identifier: Apache-2.0
// cublaslt_gemm: D = activation(alpha * op(A) * op(B) + beta * bias + residual): the product by
// cuBLASLt, which adds a bias per column and the residual to its float32 sums; what is left of the
// epilogue takes one pass over D after it.
//
//   operands  float32 (strict, or TF32 where the problem allows it), float16, bfloat16; batch with
//             one stride at most; addresses of a multiple of 16 bytes
//   limits    M, N, K, leading dimensions and batch below 2^31; not for small problems, nor for
//             alpha = 0
//   sum       float32; what is split along K is added in float32 in a fixed order: deterministic
//
// The algorithm is the first of cuBLASLt's heuristics, chosen once when the kernel is made.
// Activations are never left to cuBLASLt: its ReLU turns NaN into 0, and it has no other of ours.
#include <array>

#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/runtime/cuda_stream.h"
#include "kernels/cuda/vendor/cublaslt.h"
#include "kernels/cuda/vendor/gemm_epilogue.h"
#include "kernels/cuda/vendor/library_gemm.h"

namespace tessera::cuda {
namespace {

constexpr uint32_t kAlignmentBytes = 16;

// What of the epilogue cuBLASLt does and where it leaves its result.
struct Division {
  bool bias = false;
  bool residual = false;
  bool float_product = false;  // in the workspace, in float32, instead of in D

  bool operator==(const Division&) const = default;
};

// The problem of the pass after the library: its epilogue without what the library has done.
GemmProblem remaining_problem(GemmProblem problem, const Division& division) {
  problem.epilogue.has_bias &= !division.bias;
  problem.epilogue.has_residual &= !division.residual;
  return problem;
}

Division all_of_the_sum(const GemmProblem& p) {
  Division division;
  const bool per_column = p.bias_stride_m == 0 && p.bias_stride_n == 1 && p.beta == 1.0f;
  division.bias = p.epilogue.has_bias && per_column;
  division.residual = p.epilogue.has_residual;
  const Epilogue rest = remaining_problem(p, division).epilogue;
  if (!needs_float_product(p.dtype, rest)) return division;
  return {false, false, true};
}

Division nothing_but_the_product(const GemmProblem& p) {
  return {false, false, needs_float_product(p.dtype, p.epilogue)};
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  const Support common = support_library_gemm(problem);
  if (!common.ok()) return common;
  if (!cublaslt().ok()) return Support::no(cublaslt().status().message());
  return Support::yes();
}

// The descriptors of one product and the algorithm for it.
struct Plan {
  Division division;
  MatmulDescriptor operation;
  MatrixLayout first, second, c, d;  // B^T, A^T, residual^T, D^T
  cublasLtMatmulAlgo_t algorithm = {};
};

template <typename T>
Status set_operation(const MatmulDescriptor& operation, cublasLtMatmulDescAttributes_t attribute,
                     const T& value) {
  return cublaslt_status(
      cublaslt()->matmul_desc_set_attribute(operation.get(), attribute, &value, sizeof(T)),
      "cublasLtMatmulDescSetAttribute");
}

template <typename T>
Status set_preference(const MatmulPreference& preference,
                      cublasLtMatmulPreferenceAttributes_t attribute, const T& value) {
  return cublaslt_status(
      cublaslt()->preference_set_attribute(preference.get(), attribute, &value, sizeof(T)),
      "cublasLtMatmulPreferenceSetAttribute");
}

Result<MatmulDescriptor> make_operation(const GemmProblem& p, const Division& division) {
  cublasLtMatmulDesc_t raw = nullptr;
  TESSERA_CUBLASLT_RETURN_IF_ERROR(
      cublaslt()->matmul_desc_create(&raw, library_compute_type(p), CUDA_R_32F),
      "cublasLtMatmulDescCreate");
  MatmulDescriptor operation(raw);
  TESSERA_RETURN_IF_ERROR(set_operation(operation, CUBLASLT_MATMUL_DESC_TRANSA,
                                        static_cast<int32_t>(library_operation(p.transpose_b))));
  TESSERA_RETURN_IF_ERROR(set_operation(operation, CUBLASLT_MATMUL_DESC_TRANSB,
                                        static_cast<int32_t>(library_operation(p.transpose_a))));
  const cublasLtEpilogue_t epilogue =
      division.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  TESSERA_RETURN_IF_ERROR(set_operation(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue));
  return operation;
}

// A row-major (rows, columns) matrix with leading dimension ld, as cuBLASLt sees it: its transpose.
Result<MatrixLayout> make_layout(cudaDataType_t type, int64_t rows, int64_t columns, int64_t ld,
                                 int64_t batch, int64_t batch_stride) {
  cublasLtMatrixLayout_t raw = nullptr;
  TESSERA_CUBLASLT_RETURN_IF_ERROR(
      cublaslt()->matrix_layout_create(&raw, type, static_cast<uint64_t>(columns),
                                       static_cast<uint64_t>(rows), ld),
      "cublasLtMatrixLayoutCreate");
  MatrixLayout layout(raw);
  const auto count = static_cast<int32_t>(batch);
  TESSERA_CUBLASLT_RETURN_IF_ERROR(
      cublaslt()->matrix_layout_set_attribute(raw, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                              sizeof(count)),
      "cublasLtMatrixLayoutSetAttribute");
  TESSERA_CUBLASLT_RETURN_IF_ERROR(
      cublaslt()->matrix_layout_set_attribute(raw, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                              &batch_stride, sizeof(batch_stride)),
      "cublasLtMatrixLayoutSetAttribute");
  return layout;
}

Result<MatmulPreference> make_preference() {
  cublasLtMatmulPreference_t raw = nullptr;
  TESSERA_CUBLASLT_RETURN_IF_ERROR(cublaslt()->preference_create(&raw),
                                   "cublasLtMatmulPreferenceCreate");
  MatmulPreference preference(raw);
  TESSERA_RETURN_IF_ERROR(set_preference(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         uint64_t{kLibraryWorkspaceBytes}));
  // Partial sums in the result's type would be rounded to it.
  TESSERA_RETURN_IF_ERROR(set_preference(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                         uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE}));
  for (const auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    TESSERA_RETURN_IF_ERROR(set_preference(preference, attribute, kAlignmentBytes));
  }
  return preference;
}

Status choose_algorithm(const CublasLtHandle& handle, Plan& plan) {
  TESSERA_ASSIGN_OR_RETURN(const MatmulPreference preference, make_preference());
  std::array<cublasLtMatmulHeuristicResult_t, 8> found = {};
  int count = 0;
  TESSERA_CUBLASLT_RETURN_IF_ERROR(
      cublaslt()->get_heuristic(handle.get(), plan.operation.get(), plan.first.get(),
                                plan.second.get(), plan.c.get(), plan.d.get(), preference.get(),
                                static_cast<int>(found.size()), found.data(), &count),
      "cublasLtMatmulAlgoGetHeuristic");
  for (int i = 0; i < count; ++i) {
    const cublasLtMatmulHeuristicResult_t& result = found[static_cast<size_t>(i)];
    if (result.state != CUBLAS_STATUS_SUCCESS) continue;
    plan.algorithm = result.algo;
    return {};
  }
  return unsupported("cuBLASLt has no algorithm for this problem; use cublas_gemm");
}

Result<Plan> make_plan(const GemmProblem& p, const Division& division,
                       const CublasLtHandle& handle) {
  Plan plan;
  plan.division = division;
  const cudaDataType_t type = library_data_type(p.dtype);
  const cudaDataType_t result_type = division.float_product ? CUDA_R_32F : type;
  const int64_t batch = p.batch();
  const int64_t stride_a = p.batch_rank == 1 ? p.batch_stride_a[0] : 0;
  const int64_t stride_b = p.batch_rank == 1 ? p.batch_stride_b[0] : 0;
  const int64_t ld = division.float_product ? p.N : p.ldd;
  TESSERA_ASSIGN_OR_RETURN(plan.operation, make_operation(p, division));
  TESSERA_ASSIGN_OR_RETURN(
      plan.first, make_layout(type, p.transpose_b ? p.N : p.K, p.transpose_b ? p.K : p.N, p.ldb,
                              batch, stride_b));
  TESSERA_ASSIGN_OR_RETURN(
      plan.second, make_layout(type, p.transpose_a ? p.K : p.M, p.transpose_a ? p.M : p.K, p.lda,
                               batch, stride_a));
  TESSERA_ASSIGN_OR_RETURN(plan.c, make_layout(result_type, p.M, p.N, ld, batch, p.M * ld));
  TESSERA_ASSIGN_OR_RETURN(plan.d, make_layout(result_type, p.M, p.N, ld, batch, p.M * ld));
  TESSERA_RETURN_IF_ERROR(choose_algorithm(handle, plan));
  return plan;
}

class CublasLtGemm final : public Kernel {
 public:
  CublasLtGemm(const GemmProblem& problem, std::shared_ptr<CublasLtHandle> handle, Plan plan)
      : problem_(problem), handle_(std::move(handle)), plan_(std::move(plan)) {}

  [[nodiscard]] size_t workspace_bytes() const override {
    return kLibraryWorkspaceBytes +
           (plan_.division.float_product ? float_product_bytes(problem_) : 0);
  }

  Status launch(const Operands& operands, Stream& stream) override {
    auto* product = plan_.division.float_product
                        ? reinterpret_cast<float*>(static_cast<std::byte*>(operands.workspace) +
                                                   kLibraryWorkspaceBytes)
                        : nullptr;
    TESSERA_RETURN_IF_ERROR(multiply(operands, product, stream));
    return launch_gemm_epilogue(remaining_problem(problem_, plan_.division), product, operands,
                                stream);
  }

 private:
  Status multiply(const Operands& operands, float* product, Stream& stream) {
    TESSERA_ASSIGN_OR_RETURN(const cudaStream_t cuda_stream, activate(stream));
    void* const result = product != nullptr ? product : operands.output;
    const auto* a = input<void>(operands, GemmProblem::kA);
    const auto* b = input<void>(operands, GemmProblem::kB);
    const auto* bias = input<void>(operands, GemmProblem::kBias);
    const auto* residual = input<void>(operands, GemmProblem::kResidual);
    for (const void* pointer : {a, b, residual, static_cast<const void*>(result)}) {
      if (reinterpret_cast<uintptr_t>(pointer) % kAlignmentBytes != 0) {
        return internal_error("an operand of cublaslt_gemm is not at a multiple of 16 bytes");
      }
    }
    if (plan_.division.bias) {
      TESSERA_RETURN_IF_ERROR(
          set_operation(plan_.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias));
    }
    const float beta = plan_.division.residual ? 1.0f : 0.0f;
    const void* const c = plan_.division.residual ? residual : result;
    TESSERA_CUBLASLT_RETURN_IF_ERROR(
        cublaslt()->matmul(handle_->get(), plan_.operation.get(), &problem_.alpha, b,
                           plan_.first.get(), a, plan_.second.get(), &beta, c, plan_.c.get(),
                           result, plan_.d.get(), &plan_.algorithm, operands.workspace,
                           kLibraryWorkspaceBytes, cuda_stream),
        "cublasLtMatmul");
    return {};
  }

  GemmProblem problem_;
  std::shared_ptr<CublasLtHandle> handle_;
  Plan plan_;
};

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device& device) {
  const auto& gemm = std::get<GemmProblem>(problem);
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<CublasLtHandle> handle,
                           cublaslt_handle(device.info().ordinal));
  TESSERA_RETURN_IF_ERROR(use_device(device.info().ordinal));
  // Some shapes have algorithms for the product alone.
  Result<Plan> plan = make_plan(gemm, all_of_the_sum(gemm), *handle);
  if (!plan.ok() && plan.status().code() == StatusCode::kUnsupported &&
      all_of_the_sum(gemm) != nothing_but_the_product(gemm)) {
    plan = make_plan(gemm, nothing_but_the_product(gemm), *handle);
  }
  if (!plan.ok()) return plan.status();
  return std::unique_ptr<Kernel>(
      std::make_unique<CublasLtGemm>(gemm, std::move(handle), std::move(*plan)));
}

}  // namespace

const KernelEntry cublaslt_gemm_entry = {
    "cublaslt_gemm", GemmProblem::kFamily,
    "cuBLASLt's product with bias and residual, a pass for what is left of the epilogue",
    [](const Problem& problem, const DeviceInfo& device) {
      return supports(std::get<GemmProblem>(problem), device);
    },
    create};

}  // namespace tessera::cuda
