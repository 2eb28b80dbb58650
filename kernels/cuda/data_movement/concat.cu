// SPDX-License-Identifier: Apache-2.0
// concat: the operands one after the other along the middle axis of (outer, axis, inner), one
// launch per operand: a copy of rows of axis_extents[j] * inner elements into the longer rows of
// dst.
//
//   operands  any dtype, any number of them, extents of 0 included
//   alignment that of the element
//   deterministic
#include <numeric>

#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

// Row r of src, row_length elements, goes to dst + r * dst_pitch.
template <typename T>
__global__ void concat_kernel(const T* src, T* dst, int64_t row_length, int64_t dst_pitch,
                              int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    dst[i / row_length * dst_pitch + i % row_length] = src[i];
  }
}

Support supports(const ConcatProblem&, const DeviceInfo&) { return Support::yes(); }

Status launch_concat(const ConcatProblem& problem, const Operands& operands, Stream& stream) {
  const std::vector<int64_t>& extents = problem.axis_extents;
  const int64_t dst_pitch =
      std::accumulate(extents.begin(), extents.end(), int64_t{0}) * problem.inner;
  int64_t row_offset = 0;
  for (size_t j = 0; j < extents.size(); ++j) {
    const int64_t row_length = extents[j] * problem.inner;
    const int64_t count = problem.outer * row_length;
    TESSERA_RETURN_IF_ERROR(dispatch_element_size(problem.dtype, [&]<typename T>() {
      return launch(concat_kernel<T>, elementwise_blocks(count), kElementwiseThreads, 0, stream,
                    input<T>(operands, static_cast<int>(j)), output<T>(operands) + row_offset,
                    row_length, dst_pitch, count);
    }));
    row_offset += row_length;
  }
  return {};
}

}  // namespace

const KernelEntry concat_entry = stateless_kernel_entry<ConcatProblem, supports, launch_concat>(
    "concat", "one launch per operand, one thread per element");

}  // namespace tessera::cuda
