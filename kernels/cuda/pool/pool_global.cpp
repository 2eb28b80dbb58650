// SPDX-License-Identifier: Apache-2.0
// pool_global: maximum or mean of whole channels, as a reduction of (N * C, H * W) for NCHW and of
// the middle axis of (N, H * W, C) for NHWC, by the kernels of kernels/cuda/reduce.
//
//   operands  float32, float16 or bfloat16, NCHW or NHWC; windows that are the image, without pads
//   alignment that of the element
//   sum       float32; deterministic
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/reduce/launch_reduce.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/pool.h"

namespace tessera::cuda {
namespace {

bool is_global(const PoolProblem& p) {
  const bool padded = p.pad_top != 0 || p.pad_left != 0 || p.pad_bottom != 0 || p.pad_right != 0;
  const bool dilated = p.dilation_h != 1 || p.dilation_w != 1;
  return p.P == 1 && p.Q == 1 && p.R == p.H && p.S == p.W && !padded && !dilated;
}

Support supports(const PoolProblem& problem, const DeviceInfo&) {
  if (!is_global(problem)) return Support::no("the window is not the whole image");
  if (problem.H * problem.W == 0) return Support::no("the image is empty");
  if (!support_float(problem.dtype).ok()) return support_float(problem.dtype);
  return support_strided_layout(problem.layout);
}

Status launch_pool_global(const PoolProblem& p, const Operands& operands, Stream& stream) {
  ReduceProblem reduce;
  reduce.kind = p.kind == PoolKind::kMax ? ReduceKind::kMax : ReduceKind::kMean;
  reduce.dtype = p.dtype;
  reduce.axis = p.H * p.W;
  if (p.layout == Layout::kNHWC && p.C != 1) {
    reduce.outer = p.N;
    reduce.inner = p.C;
    return launch_reduce_columns(reduce, operands, stream);
  }
  reduce.outer = p.N * p.C;
  reduce.inner = 1;
  return reduce.axis <= kLongestWarpRow ? launch_reduce_warp(reduce, operands, stream)
                                        : launch_reduce_block(reduce, operands, stream);
}

}  // namespace

const KernelEntry pool_global_entry =
    stateless_kernel_entry<PoolProblem, supports, launch_pool_global>(
        "pool_global", "whole channels, as a reduction");

}  // namespace tessera::cuda
