// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/channel_padding.h"

#include "kernels/reference/dispatch.h"
#include "kernels/reference/layout_offset.h"

namespace tessera {
namespace {

// How an operand lies in memory where its layout may be a blocked one; N = 0 for other operands.
struct OperandTensor {
  int operand;

  reference::ImageTensor operator()(const ConvProblem& p) const {
    if (operand == ConvProblem::kSrc) return {p.src_layout, p.N, p.C, p.H, p.W};
    if (operand == ConvProblem::kResidual) return {p.dst_layout, p.N, p.K, p.P, p.Q};
    return {};
  }
  reference::ImageTensor operator()(const PoolProblem& p) const {
    return {p.layout, p.N, p.C, p.H, p.W};
  }
  reference::ImageTensor operator()(const ReorderProblem& p) const {
    return {p.from, p.N, p.C, p.H, p.W};
  }
  reference::ImageTensor operator()(const auto&) const { return {}; }
};

}  // namespace

void clear_channel_padding(const Problem& problem, int operand, DType dtype, Bytes& bytes) {
  const reference::ImageTensor tensor = std::visit(OperandTensor{operand}, problem);
  reference::visit_storage(dtype, [&]<typename T>(std::type_identity<T>) {
    reference::zero_channel_padding(reinterpret_cast<T*>(bytes.data()), tensor);
  });
}

}  // namespace tessera
