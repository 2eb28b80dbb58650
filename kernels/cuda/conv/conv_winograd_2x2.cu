// SPDX-License-Identifier: Apache-2.0
// conv_winograd_2x2: dst = activation(conv(src, weights) + bias + residual) for 3 x 3 filters by
// Winograd's F(2 x 2, 3 x 3): 4 x 4 tiles of src and weights are transformed, multiplied as
// 16 matrix products (K, C) * (C, tiles), and transformed back: one multiplication where the
// direct sum has 2.25.
//
//   operands  float32, NCHW; stride and dilation 1, one group, any pads; at least 32 channels in
//   and
//             out
//   alignment 4 bytes
//   device    compute capability 8.0 or later
//   workspace the transformed src and the products, at most 256 MB: more images take several passes
//   sum       float32; deterministic. The error is bounded by kernels/accuracy/winograd.h, not by
//             the products alone, and an infinity or NaN of src may make its whole tile NaN
#include "kernels/cuda/conv/winograd_kernel.cuh"
#include "kernels/cuda/kernels.h"

namespace tessera::cuda {

const KernelEntry conv_winograd_2x2_entry = winograd_entry<2>(
    "conv_winograd_2x2", "Winograd's F(2 x 2, 3 x 3): transforms and 16 matrix products");

}  // namespace tessera::cuda
