// SPDX-License-Identifier: Apache-2.0
// transpose: dst[i[permutation[0]], i[permutation[1]], ...] = src[i[0], i[1], ...] for any
// permutation, one thread per element of dst: writes are contiguous, reads wherever they fall.
//
//   operands  any dtype, rank <= 8
//   alignment that of the element
//   deterministic
#include "kernels/cuda/data_movement/collapse.h"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

// Along each axis of dst, outermost first: its extent, and the stride in src of the axis it is.
struct Axes {
  int rank = 0;
  int64_t extent[TransposeProblem::kMaxRank] = {};
  int64_t src_stride[TransposeProblem::kMaxRank] = {};
};

template <typename T>
__global__ void transpose_kernel(const __grid_constant__ Axes axes, const T* src, T* dst,
                                 int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    int64_t rest = i;
    int64_t offset = 0;
    for (int axis = axes.rank - 1; axis >= 0; --axis) {
      offset += rest % axes.extent[axis] * axes.src_stride[axis];
      rest /= axes.extent[axis];
    }
    dst[i] = src[offset];
  }
}

Axes axes_of(const TransposeProblem& problem) {
  int64_t stride[TransposeProblem::kMaxRank] = {};
  int64_t step = 1;
  for (int axis = problem.rank - 1; axis >= 0; --axis) {
    stride[axis] = step;
    step *= problem.extent[axis];
  }
  Axes axes;
  axes.rank = problem.rank;
  for (int d = 0; d < problem.rank; ++d) {
    axes.extent[d] = problem.extent[problem.permutation[d]];
    axes.src_stride[d] = stride[problem.permutation[d]];
  }
  return axes;
}

Support supports(const TransposeProblem&, const DeviceInfo&) { return Support::yes(); }

Status launch_transpose(const TransposeProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t count = problem.count();
  if (count == 0) return {};
  const Axes axes = axes_of(collapse(problem));
  return dispatch_element_size(problem.dtype, [&]<typename T>() {
    return launch(transpose_kernel<T>, elementwise_blocks(count), kElementwiseThreads, 0, stream,
                  axes, input<T>(operands, TransposeProblem::kSrc), output<T>(operands), count);
  });
}

}  // namespace

const KernelEntry transpose_entry =
    stateless_kernel_entry<TransposeProblem, supports, launch_transpose>(
        "transpose", "any permutation, one thread per element of dst");

}  // namespace tessera::cuda
