// SPDX-License-Identifier: Apache-2.0
// reorder: (N, C, H, W) from one memory layout to another. Between NCHW and NHWC it is one matrix
// transpose per image, (C, H * W) to (H * W, C) or back, by the kernel of transpose_tiled.
//
//   operands  any dtype; NCHW and NHWC
//   alignment that of the element
//   deterministic
#include "kernels/cuda/data_movement/batched_transpose.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

Support supports(const ReorderProblem& problem, const DeviceInfo&) {
  if (!is_strided_layout(problem.from)) return support_strided_layout(problem.from);
  return support_strided_layout(problem.to);
}

Status launch_reorder(const ReorderProblem& p, const Operands& operands, Stream& stream) {
  const int64_t area = p.H * p.W;
  if (p.from == p.to) {
    const auto bytes = static_cast<size_t>(p.N * p.C * area) * dtype_size_bytes(p.dtype);
    return stream.copy_on_device(operands.output, input<void>(operands, ReorderProblem::kSrc),
                                 bytes);
  }
  const bool to_channels_last = p.to == Layout::kNHWC;
  BatchedTranspose transpose;
  transpose.dtype = p.dtype;
  transpose.batch = p.N;
  transpose.rows = to_channels_last ? p.C : area;
  transpose.columns = to_channels_last ? area : p.C;
  return launch_batched_transpose(transpose, operands, stream);
}

}  // namespace

const KernelEntry reorder_entry = stateless_kernel_entry<ReorderProblem, supports, launch_reorder>(
    "reorder", "NCHW to NHWC and back as matrix transposes");

}  // namespace tessera::cuda
