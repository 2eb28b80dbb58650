// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

Support check(const UnaryProblem& problem) {
  const ActivationKind kind = problem.activation.kind;
  if (kind != ActivationKind::kSigmoid && kind != ActivationKind::kTanh) {
    return Support::no(std::string("only sigmoid and tanh, not ") + activation_name(kind));
  }
  return supports_f32(problem.dtype);
}

dnnl::eltwise_forward::primitive_desc make_desc(const UnaryProblem& problem) {
  const MemoryDesc desc({problem.count}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
  const auto algorithm = problem.activation.kind == ActivationKind::kSigmoid
                             ? dnnl::algorithm::eltwise_logistic
                             : dnnl::algorithm::eltwise_tanh;
  return make_eltwise_primitive_desc(onednn_engine(), algorithm, desc, 0.0f, 0.0f,
                                     onednn_attributes());
}

}  // namespace

constinit const KernelEntry onednn_eltwise =
    primitive_kernel_entry<UnaryProblem, dnnl::eltwise_forward, check, make_desc,
                           single_source<UnaryProblem>>("onednn_eltwise",
                                                        "oneDNN sigmoid and tanh");

}  // namespace tessera::cpu
