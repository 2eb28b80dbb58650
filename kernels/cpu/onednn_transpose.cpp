// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

Support check(const TransposeProblem& p) {
  if (p.rank == 0) return Support::no("a scalar has no axes");
  if (p.count() == 0) return Support::no("the tensor is empty");
  return supports_f32(p.dtype);
}

// A reorder from dst's axes with the strides that they have in src to dense ones.
dnnl::reorder::primitive_desc make_desc(const TransposeProblem& p) {
  const auto rank = static_cast<size_t>(p.rank);
  Dims src_strides(rank);
  int64_t elements = 1;
  for (size_t d = rank; d-- > 0;) {
    src_strides[d] = elements;
    elements *= p.extent[d];
  }
  Dims dims(rank);
  Dims from(rank);
  Dims to(rank);
  int64_t dense = 1;
  for (size_t d = rank; d-- > 0;) {
    const auto axis = static_cast<size_t>(p.permutation[d]);
    dims[d] = p.extent[axis];
    from[d] = src_strides[axis];
    to[d] = dense;
    dense *= dims[d];
  }
  constexpr auto kF32 = dnnl::memory::data_type::f32;
  return {onednn_engine(), MemoryDesc(dims, kF32, from), onednn_engine(),
          MemoryDesc(dims, kF32, to), onednn_attributes()};
}

}  // namespace

constinit const KernelEntry onednn_transpose =
    primitive_kernel_entry<TransposeProblem, dnnl::reorder, check, make_desc,
                           single_source<TransposeProblem>>("onednn_transpose",
                                                            "oneDNN reorder with permuted strides");

}  // namespace tessera::cpu
