// SPDX-License-Identifier: Apache-2.0
// reorder: (N, C, H, W) from one memory layout to another, as the transposes that it is. Between
// NCHW and the others one matrix transpose per image or block of channels, by the kernels of
// transpose_tiled; between NHWC and blocks of channels a permutation that keeps the innermost axis.
// Channels that do not fill their last block go element by element.
//
//   operands  any dtype, any two layouts
//   alignment that of the element
//   deterministic
#include <algorithm>

#include "core/math.h"
#include "kernels/cuda/data_movement/batched_transpose.h"
#include "kernels/cuda/data_movement/permute.h"
#include "kernels/cuda/data_movement/reorder_elements.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

Support supports(const ReorderProblem&, const DeviceInfo&) { return Support::yes(); }

// Between NCHW, (batch, block, H * W), and the layout with blocks of `block` channels, or NHWC as
// one block of all.
Status transpose_planes(const ReorderProblem& p, int64_t block, const Operands& operands,
                        Stream& stream) {
  const bool from_planes = p.from == Layout::kRowMajor;
  const int64_t area = p.H * p.W;
  BatchedTranspose transpose;
  transpose.dtype = p.dtype;
  transpose.batch = p.N * (p.C / block);
  transpose.rows = from_planes ? block : area;
  transpose.columns = from_planes ? area : block;
  return launch_batched_transpose(transpose, operands, stream);
}

// Between NHWC, (N, H * W, blocks, block), and blocks of channels, (N, blocks, H * W, block).
Status permute_blocks(const ReorderProblem& p, int64_t block, const Operands& operands,
                      Stream& stream) {
  const int64_t area = p.H * p.W;
  const int64_t blocks = p.C / block;
  const bool to_blocks = p.from == Layout::kNHWC;
  TransposeProblem permute;
  permute.dtype = p.dtype;
  permute.rank = 4;
  permute.extent = {p.N, to_blocks ? area : blocks, to_blocks ? blocks : area, block};
  permute.permutation = {0, 2, 1, 3};
  return launch_permute(permute, operands, stream);
}

Status launch_reorder(const ReorderProblem& p, const Operands& operands, Stream& stream) {
  if (p.N * p.C * p.H * p.W == 0) return {};
  const int64_t from_block = layout_channel_block(p.from);
  const int64_t to_block = layout_channel_block(p.to);
  if (p.from == p.to) {
    const auto elements = static_cast<size_t>(p.N * round_up(p.C, to_block) * p.H * p.W);
    return stream.copy_on_device(operands.output, input<void>(operands, ReorderProblem::kSrc),
                                 elements * dtype_size_bytes(p.dtype));
  }
  const bool both_blocked = from_block > 1 && to_block > 1;
  const int64_t block = std::max(from_block, to_block);
  if (both_blocked || p.C % block != 0) return launch_reorder_elements(p, operands, stream);
  if (p.from == Layout::kRowMajor || p.to == Layout::kRowMajor) {
    return transpose_planes(p, block > 1 ? block : p.C, operands, stream);
  }
  return permute_blocks(p, block, operands, stream);
}

}  // namespace

const KernelEntry reorder_entry = stateless_kernel_entry<ReorderProblem, supports, launch_reorder>(
    "reorder", "layouts as matrix transposes and permutations");

}  // namespace tessera::cuda
