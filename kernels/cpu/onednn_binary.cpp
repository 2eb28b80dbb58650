// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

// oneDNN broadcasts the second operand only.
Support check(const BinaryProblem& p) {
  for (int d = 0; d < p.rank; ++d) {
    if (p.stride_a[d] == 0 && p.extent[d] != 1) {
      return Support::no("the first operand is broadcast");
    }
  }
  if (p.count() == 0) return Support::no("the result is empty");
  return supports_f32(p.dtype);
}

// The operand with the given strides; a stride of 0 is an extent of 1 to oneDNN.
MemoryDesc operand_desc(const BinaryProblem& p,
                        const std::array<int64_t, BinaryProblem::kMaxRank>& stride) {
  Dims dims(static_cast<size_t>(std::max(p.rank, 1)), 1);
  Dims strides(dims.size(), 1);
  for (size_t d = 0; d < static_cast<size_t>(p.rank); ++d) {
    if (stride[d] != 0) {
      dims[d] = p.extent[d];
      strides[d] = stride[d];
    }
  }
  return {dims, dnnl::memory::data_type::f32, strides};
}

dnnl::algorithm algorithm_of(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kAdd:
      return dnnl::algorithm::binary_add;
    case BinaryKind::kSub:
      return dnnl::algorithm::binary_sub;
    case BinaryKind::kMul:
      return dnnl::algorithm::binary_mul;
    case BinaryKind::kDiv:
      break;
  }
  return dnnl::algorithm::binary_div;
}

dnnl::binary::primitive_desc make_desc(const BinaryProblem& p) {
  std::array<int64_t, BinaryProblem::kMaxRank> dense = {};
  int64_t elements = 1;
  for (int d = p.rank; d-- > 0;) {
    dense[d] = elements;
    elements *= p.extent[d];
  }
  return make_binary_primitive_desc(onednn_engine(), algorithm_of(p.kind),
                                    operand_desc(p, p.stride_a), operand_desc(p, p.stride_b),
                                    operand_desc(p, dense), onednn_attributes());
}

std::vector<int> operand_arguments(const BinaryProblem&) {
  return {DNNL_ARG_SRC_0, DNNL_ARG_SRC_1};
}

}  // namespace

constinit const KernelEntry onednn_binary =
    primitive_kernel_entry<BinaryProblem, dnnl::binary, check, make_desc, operand_arguments>(
        "onednn_binary", "oneDNN add, sub, mul, div with the second operand broadcast");

}  // namespace tessera::cpu
