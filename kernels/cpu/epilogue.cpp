// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/epilogue.h"

#include "kernels/cpu/activation.h"
#include "kernels/cpu/parallel.h"

namespace tessera::cpu {

EpilogueSplit split_epilogue(const Epilogue& epilogue, const MemoryDesc& dst) {
  EpilogueSplit split;
  if (!onednn_keeps_nan(epilogue.activation)) {
    split.own_pass = true;
    return split;
  }
  if (epilogue.has_residual) {
    split.post_ops.append_binary(dnnl::algorithm::binary_add, dst);
    split.fused_residual = true;
  }
  switch (epilogue.activation.kind) {
    case ActivationKind::kLeakyRelu:
      append_eltwise(split.post_ops, dnnl::algorithm::eltwise_relu, epilogue.activation.alpha);
      break;
    case ActivationKind::kTanh:
      append_eltwise(split.post_ops, dnnl::algorithm::eltwise_tanh, 0.0f);
      break;
    default:
      break;
  }
  return split;
}

namespace {

template <typename Function>
void apply_row(Function function, const float* residual, float* dst, int64_t length) {
  if (residual == nullptr) {
    for (int64_t i = 0; i < length; ++i) dst[i] = function(dst[i]);
  } else {
    for (int64_t i = 0; i < length; ++i) dst[i] = function(dst[i] + residual[i]);
  }
}

}  // namespace

void apply_epilogue(const Activation& activation, const float* residual, float* dst,
                    const Rows& rows) {
  // Calls body(offset, length) for pieces of the matrix.
  const auto for_each_piece = [&](auto body) {
    if (rows.length == rows.stride) {
      parallel_for(rows.count * rows.length, kParallelElements,
                   [&](int64_t begin, int64_t end) { body(begin, end - begin); });
      return;
    }
    const int64_t grain = ceil_div(kParallelElements, std::max<int64_t>(rows.length, 1));
    parallel_for(rows.count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) body(row * rows.stride, rows.length);
    });
  };
  with_activation(activation, [&](auto function) {
    for_each_piece([&](int64_t offset, int64_t length) {
      apply_row(function, residual == nullptr ? nullptr : residual + offset, dst + offset, length);
    });
  });
}

}  // namespace tessera::cpu
