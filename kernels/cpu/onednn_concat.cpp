// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

Support check(const ConcatProblem& p) {
  // Their argument numbers follow one another; beyond this many they run into those of others.
  constexpr size_t kMaxOperands = DNNL_ARG_MULTIPLE_DST - DNNL_ARG_MULTIPLE_SRC;
  if (p.axis_extents.size() > kMaxOperands) {
    return Support::no("oneDNN numbers at most " + std::to_string(kMaxOperands) + " operands");
  }
  for (const int64_t extent : p.axis_extents) {
    if (p.outer * extent * p.inner == 0) return Support::no("an operand is empty");
  }
  return supports_f32(p.dtype);
}

MemoryDesc slice_desc(const ConcatProblem& p, int64_t axis) {
  return {{p.outer, axis, p.inner}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::abc};
}

dnnl::concat::primitive_desc make_desc(const ConcatProblem& p) {
  std::vector<MemoryDesc> sources;
  int64_t axis = 0;
  for (const int64_t extent : p.axis_extents) {
    sources.push_back(slice_desc(p, extent));
    axis += extent;
  }
  constexpr int kAxis = 1;
  return make_concat_primitive_desc(onednn_engine(), slice_desc(p, axis), kAxis, sources,
                                    onednn_attributes());
}

std::vector<int> operand_arguments(const ConcatProblem& p) {
  std::vector<int> arguments;
  for (size_t i = 0; i < p.axis_extents.size(); ++i) {
    arguments.push_back(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i));
  }
  return arguments;
}

}  // namespace

constinit const KernelEntry onednn_concat =
    primitive_kernel_entry<ConcatProblem, dnnl::concat, check, make_desc, operand_arguments>(
        "onednn_concat", "oneDNN concat");

}  // namespace tessera::cpu
