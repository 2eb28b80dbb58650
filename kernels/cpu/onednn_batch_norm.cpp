// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

Support check(const BatchNormProblem& problem) { return supports_f32(problem.dtype); }

dnnl::batch_normalization_forward::primitive_desc make_desc(const BatchNormProblem& p) {
  using Flags = dnnl::normalization_flags;
  const MemoryDesc desc({p.N, p.C, p.inner}, dnnl::memory::data_type::f32,
                        dnnl::memory::format_tag::abc);
  return make_batch_norm_primitive_desc(
      onednn_engine(), desc, p.epsilon,
      Flags::use_global_stats | Flags::use_scale | Flags::use_shift, onednn_attributes());
}

std::vector<int> operand_arguments(const BatchNormProblem&) {
  return {DNNL_ARG_SRC, DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE};
}

}  // namespace

constinit const KernelEntry onednn_batch_norm =
    primitive_kernel_entry<BatchNormProblem, dnnl::batch_normalization_forward, check, make_desc,
                           operand_arguments>("onednn_batch_norm",
                                              "oneDNN batch normalization with given statistics");

}  // namespace tessera::cpu
