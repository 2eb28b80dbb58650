// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

Support check(const ReorderProblem& p) {
  if (p.N * p.C * p.H * p.W == 0) return Support::no("the tensor is empty");
  return supports_f32(p.dtype);
}

dnnl::reorder::primitive_desc make_desc(const ReorderProblem& p) {
  const Dims dims = {p.N, p.C, p.H, p.W};
  return {onednn_engine(), image_desc(p.from, dims), onednn_engine(), image_desc(p.to, dims),
          onednn_attributes()};
}

}  // namespace

constinit const KernelEntry onednn_reorder =
    primitive_kernel_entry<ReorderProblem, dnnl::reorder, check, make_desc,
                           single_source<ReorderProblem>>("onednn_reorder",
                                                          "oneDNN reorder between image layouts");

}  // namespace tessera::cpu
