// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/cpu/onednn.h"
#include "kernels/problem/epilogue.h"

namespace tessera::cpu {

// How an epilogue is split between a primitive and a pass of our own over its result. The bias is
// always the primitive's.
struct EpilogueSplit {
  dnnl::post_ops post_ops;
  bool fused_residual = false;  // argument kResidualArgument of the primitive
  bool own_pass = false;        // residual and activation are left to apply_epilogue

  // The post-op with the residual is the first.
  static constexpr int kResidualArgument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;
};

// Fuses everything except an activation in which oneDNN loses NaN, and then the residual before it.
// Throws dnnl::error.
EpilogueSplit split_epilogue(const Epilogue& epilogue, const MemoryDesc& dst);

// A matrix in memory.
struct Rows {
  int64_t count = 0;
  int64_t length = 0;
  int64_t stride = 0;
};

// dst = activation(dst + residual) for each element of the rows; `residual` (of the same strides)
// may be null.
void apply_epilogue(const Activation& activation, const float* residual, float* dst,
                    const Rows& rows);

}  // namespace tessera::cpu
