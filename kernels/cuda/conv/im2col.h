// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/status.h"
#include "kernels/kernel.h"
#include "kernels/problem/conv.h"

namespace tessera::cuda {

// Enqueues, for `images` images from first_image on, columns[n][(c, r, s)][(p, q)] = the element of
// src that output (p, q) multiplies with weight (c, r, s), zero outside. c runs over all channels,
// so that a group's rows are neighbours. Any dtype; src NCHW or NHWC.
Status launch_im2col(const ConvProblem& problem, int64_t first_image, int64_t images,
                     const void* src, void* columns, Stream& stream);

}  // namespace tessera::cuda
