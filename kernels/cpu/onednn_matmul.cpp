// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "kernels/cpu/epilogue.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

using dnnl::matmul;
constexpr auto kF32 = dnnl::memory::data_type::f32;

using BatchStrides = std::array<int64_t, GemmProblem::kMaxBatchRank>;

// Batch dimensions, then a matrix of rows x columns. A batch stride of 0 is an extent of 1 to
// oneDNN, which broadcasts it.
Dims operand_dims(const GemmProblem& p, const BatchStrides& batch_stride, int64_t rows,
                  int64_t columns) {
  Dims dims;
  for (size_t d = 0; d < static_cast<size_t>(p.batch_rank); ++d) {
    dims.push_back(batch_stride[d] == 0 ? 1 : p.batch_extent[d]);
  }
  dims.insert(dims.end(), {rows, columns});
  return dims;
}

// `dims` from operand_dims.
MemoryDesc strided_desc(const Dims& dims, const BatchStrides& batch_stride, int64_t row_stride,
                        int64_t column_stride) {
  Dims strides(batch_stride.begin(),
               batch_stride.begin() + static_cast<std::ptrdiff_t>(dims.size() - 2));
  for (int64_t& stride : strides) stride = std::max<int64_t>(stride, 1);
  strides.insert(strides.end(), {row_stride, column_stride});
  return {dims, kF32, strides};
}

Dims weights_dims(const GemmProblem& p) { return operand_dims(p, p.batch_stride_b, p.K, p.N); }

MemoryDesc src_desc(const GemmProblem& p) {
  return strided_desc(operand_dims(p, p.batch_stride_a, p.M, p.K), p.batch_stride_a,
                      p.transpose_a ? 1 : p.lda, p.transpose_a ? p.lda : 1);
}

MemoryDesc weights_desc(const GemmProblem& p) {
  return strided_desc(weights_dims(p), p.batch_stride_b, p.transpose_b ? 1 : p.ldb,
                      p.transpose_b ? p.ldb : 1);
}

MemoryDesc dst_desc(const GemmProblem& p) {
  BatchStrides batch_stride = {};
  int64_t dense = p.M * p.ldd;
  for (int d = p.batch_rank; d-- > 0;) {
    batch_stride[d] = dense;
    dense *= p.batch_extent[d];
  }
  return strided_desc(operand_dims(p, batch_stride, p.M, p.N), batch_stride, p.ldd, 1);
}

// One value per column.
MemoryDesc bias_desc(const GemmProblem& p) {
  if (!p.epilogue.has_bias) return {};
  // A row, broadcast over the rows and the batch.
  Dims dims(static_cast<size_t>(p.batch_rank) + 1, 1);
  Dims strides(dims.size(), p.N);
  dims.push_back(p.N);
  strides.push_back(1);
  return {dims, kF32, strides};
}

EpilogueSplit split(const GemmProblem& p) { return split_epilogue(p.epilogue, dst_desc(p)); }

matmul::primitive_desc make_desc(const GemmProblem& p, const EpilogueSplit& epilogue,
                                 const MemoryDesc& weights) {
  dnnl::primitive_attr attributes = onednn_attributes();
  attributes.set_post_ops(epilogue.post_ops);
  return make_matmul_primitive_desc(onednn_engine(), src_desc(p), weights, bias_desc(p),
                                    dst_desc(p), attributes);
}

Support supports(const Problem& problem, const DeviceInfo&) {
  const auto& p = std::get<GemmProblem>(problem);
  if (Support f32 = supports_f32(p.dtype); !f32.ok()) return f32;
  if (p.batch() * p.M * p.N * p.K == 0) return Support::no("an extent is 0");
  if (p.alpha != 1.0f) return Support::no("alpha is not 1");
  if (p.epilogue.has_bias && p.beta != 1.0f) return Support::no("beta is not 1");
  if (p.epilogue.has_bias && (p.bias_stride_m != 0 || p.bias_stride_n != 1)) {
    return Support::no("the bias is not one value per column");
  }
  bool generic = false;
  const Support support = onednn_has_implementation([&] {
    const auto desc = make_desc(p, split(p), weights_desc(p));
    generic = std::string_view(desc.impl_info_str()).starts_with("ref");
  });
  if (support.ok() && generic) return Support::no("oneDNN has only its generic loops for this");
  return support;
}

class OnednnMatmul final : public Kernel {
 public:
  // Throws dnnl::error.
  explicit OnednnMatmul(const GemmProblem& problem) : problem_(problem), epilogue_(split(problem)) {
    bind(make_desc(problem_, epilogue_, weights_desc(problem_)));
  }

  [[nodiscard]] size_t workspace_bytes() const override { return matmul_.scratchpad_bytes(); }

  // A constant B is reordered once into the format that oneDNN likes best.
  Result<std::vector<int>> pack_constants(std::span<const Tensor* const> constants) override {
    const Tensor* weights = constants[GemmProblem::kB];
    if (weights == nullptr) return std::vector<int>();
    return catch_onednn([&]() -> Result<std::vector<int>> {
      const MemoryDesc plain = weights_desc(problem_);
      const MemoryDesc any(weights_dims(problem_), kF32, dnnl::memory::format_tag::any);
      const auto desc = make_desc(problem_, epilogue_, any);
      const dnnl::reorder::primitive_desc reorder_desc(onednn_engine(), plain, onednn_engine(),
                                                       desc.weights_desc(), onednn_attributes());
      BoundPrimitive reorder(dnnl::reorder(reorder_desc), reorder_desc,
                             {DNNL_ARG_SRC, DNNL_ARG_DST});
      TESSERA_ASSIGN_OR_RETURN(Buffer packed, allocate_host_buffer(desc.weights_desc().get_size()));
      TESSERA_ASSIGN_OR_RETURN(const Buffer scratch,
                               allocate_host_buffer(reorder.scratchpad_bytes()));
      reorder.execute({{DNNL_ARG_SRC, weights->data()}, {DNNL_ARG_DST, packed.data()}},
                      scratch.data());
      bind(desc);
      packed_weights_ = std::move(packed);
      return std::vector<int>{GemmProblem::kB};
    });
  }

  Status launch(const Operands& operands, Stream&) override {
    return catch_onednn([&]() -> Status {
      run(operands);
      return {};
    });
  }

 private:
  void bind(const matmul::primitive_desc& desc) {
    std::vector<int> arguments = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    if (problem_.epilogue.has_bias) arguments.push_back(DNNL_ARG_BIAS);
    if (epilogue_.fused_residual) arguments.push_back(EpilogueSplit::kResidualArgument);
    matmul_ = BoundPrimitive(matmul(desc), desc, arguments);
  }

  void run(const Operands& operands) {
    const void* residual = operands.inputs[GemmProblem::kResidual];
    std::vector<std::pair<int, const void*>> pointers = {
        {DNNL_ARG_SRC, operands.inputs[GemmProblem::kA]},
        {DNNL_ARG_WEIGHTS,
         packed_weights_ ? packed_weights_->data() : operands.inputs[GemmProblem::kB]},
        {DNNL_ARG_DST, operands.output}};
    if (problem_.epilogue.has_bias) {
      pointers.emplace_back(DNNL_ARG_BIAS, operands.inputs[GemmProblem::kBias]);
    }
    if (epilogue_.fused_residual) {
      pointers.emplace_back(EpilogueSplit::kResidualArgument, residual);
    }
    matmul_.execute(pointers, operands.workspace);
    if (!epilogue_.own_pass) return;
    apply_epilogue(problem_.epilogue.activation,
                   problem_.epilogue.has_residual ? static_cast<const float*>(residual) : nullptr,
                   static_cast<float*>(operands.output),
                   {problem_.batch() * problem_.M, problem_.N, problem_.ldd});
  }

  GemmProblem problem_;
  EpilogueSplit epilogue_;
  BoundPrimitive matmul_;
  std::optional<Buffer> packed_weights_;
};

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device&) {
  return catch_onednn([&]() -> Result<std::unique_ptr<Kernel>> {
    return std::unique_ptr<Kernel>(std::make_unique<OnednnMatmul>(std::get<GemmProblem>(problem)));
  });
}

}  // namespace

constinit const KernelEntry onednn_matmul = {"onednn_matmul", GemmProblem::kFamily,
                                             "oneDNN matmul with a constant B packed once",
                                             supports, create};

}  // namespace tessera::cpu
