// SPDX-License-Identifier: Apache-2.0
// pool_window: maximum or mean over a window of each channel, one thread per output; for NHWC one
// thread per 16 bytes of channels where they are whole vectors. Windows of 2 x 2 and 3 x 3 are
// unrolled, so that all their loads are on their way at once. Which cells count and what NaN,
// -infinity and empty windows give is said in kernels/problem/pool.h.
//
//   operands  float32, float16 or bfloat16, NCHW or NHWC; windows, strides, dilation and pads of
//   any
//             size
//   alignment that of the element; 16 bytes for the vectors
//   sum       float32 in the order r, s; deterministic
#include <limits>

#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/pool/pool_map.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

constexpr int64_t kMaxExtent = int64_t{1} << 30;

Support supports(const PoolProblem& problem, const DeviceInfo&) {
  if (!support_float(problem.dtype).ok()) return support_float(problem.dtype);
  for (const int64_t extent :
       {problem.H + problem.pad_top + problem.pad_bottom + problem.R * problem.dilation_h,
        problem.W + problem.pad_left + problem.pad_right + problem.S * problem.dilation_w}) {
    if (extent > kMaxExtent) return Support::no("the image or the window is larger than 2^30");
  }
  return support_strided_layout(problem.layout);
}

template <typename Config>
Status launch_with(const PoolProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t outputs = problem.N * problem.C * problem.P * problem.Q / Config::kCount;
  return launch_map(make_pool_map<Config>(problem, operands), true, outputs * Config::kCount,
                    stream);
}

template <typename T, PoolKind kKind, bool kChannelsLast, int kCount>
Status launch_window(const PoolProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t count = problem.N * problem.C * problem.P * problem.Q;
  const bool square = problem.R == problem.S && count <= std::numeric_limits<int32_t>::max();
  if (square && problem.R == 2) {
    return launch_with<PoolConfig<T, kKind, kChannelsLast, kCount, 2, uint32_t>>(problem, operands,
                                                                                 stream);
  }
  if (square && problem.R == 3) {
    return launch_with<PoolConfig<T, kKind, kChannelsLast, kCount, 3, uint32_t>>(problem, operands,
                                                                                 stream);
  }
  return dispatch_index(count, [&]<typename Index>() {
    return launch_with<PoolConfig<T, kKind, kChannelsLast, kCount, 0, Index>>(problem, operands,
                                                                              stream);
  });
}

template <typename T, PoolKind kKind>
Status launch_layout(const PoolProblem& problem, const Operands& operands, Stream& stream) {
  constexpr int kVector = kVectorElements<T>;
  if (problem.layout == Layout::kRowMajor) {
    return launch_window<T, kKind, false, 1>(problem, operands, stream);
  }
  const bool vectors =
      problem.C % kVector == 0 &&
      are_aligned(kVectorBytes, input<T>(operands, PoolProblem::kSrc), output<T>(operands));
  return vectors ? launch_window<T, kKind, true, kVector>(problem, operands, stream)
                 : launch_window<T, kKind, true, 1>(problem, operands, stream);
}

Status launch_pool_window(const PoolProblem& problem, const Operands& operands, Stream& stream) {
  if (problem.N * problem.C * problem.P * problem.Q == 0) return {};
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return problem.kind == PoolKind::kMax
               ? launch_layout<T, PoolKind::kMax>(problem, operands, stream)
               : launch_layout<T, PoolKind::kAverage>(problem, operands, stream);
  });
}

}  // namespace

const KernelEntry pool_window_entry =
    stateless_kernel_entry<PoolProblem, supports, launch_pool_window>(
        "pool_window", "one thread per output, for NHWC per vector of channels");

}  // namespace tessera::cuda
