// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/cuda/vendor/cudnn_graph.h"
#include "kernels/problem/conv.h"

namespace tessera::cuda {

// What of a convolution and its epilogue one cuDNN graph computes, and where its result is left.
struct ConvDivision {
  bool bias = false;
  bool residual = false;
  bool relu = false;
  bool float_product = false;  // in the workspace, in float32, instead of in dst

  bool operator==(const ConvDivision&) const = default;
};

// Ids of the graph's tensors in memory.
constexpr int64_t kGraphSrc = 1;
constexpr int64_t kGraphWeights = 2;
constexpr int64_t kGraphBias = 3;
constexpr int64_t kGraphResidual = 4;
constexpr int64_t kGraphDst = 5;

struct ConvPlan {
  std::shared_ptr<CudnnHandle> handle;
  ConvDivision division;
  ExecutionPlan execution;
};

// A plan for a problem on device `ordinal`: the one that leaves least to a pass after it, or
// kUnsupported. Weights lie as src does: (K, C/groups, R, S) for NCHW, (K, R, S, C/groups) for
// NHWC. Making one takes milliseconds to seconds (cuDNN may compile), so they are kept and shared.
// Thread-safe.
Result<std::shared_ptr<const ConvPlan>> cudnn_conv_plan(const ConvProblem& problem, int ordinal);

}  // namespace tessera::cuda
