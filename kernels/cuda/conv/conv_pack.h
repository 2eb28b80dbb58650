// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/status.h"
#include "kernels/kernel.h"
#include "kernels/problem/conv.h"

namespace tessera::cuda {

// The weights of a convolution as the left operand of a matrix product, k-major: element (k, m) of
// group g is at [(g * rows + k) * pitch + m]. What is no weight is zero.
struct ConvPacking {
  // The order of k: taps of `channel_block` channels one after the other, as ChannelGather has it,
  // of which C / groups is a multiple; 0 for c, r, s as in the weights.
  int channel_block = 0;
  int64_t rows = 0;   // at least the products per output
  int64_t pitch = 0;  // at least K / groups
};

// Enqueues the packing of float32 weights (K, C / groups, R, S).
Status launch_conv_pack(const ConvProblem& problem, const ConvPacking& packing,
                        const float* weights, float* packed, Stream& stream);

}  // namespace tessera::cuda
