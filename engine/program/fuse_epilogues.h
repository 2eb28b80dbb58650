// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/status.h"
#include "engine/passes/passes.h"
#include "engine/program/program.h"

namespace tessera {

// Moves what follows a GEMM or convolution into its epilogue (y = activation(x + bias + residual)):
// an addition of a constant per column or channel becomes the bias, an addition of a tensor of the
// same shape the residual, an element-wise function the activation, each when nothing else reads
// the value between and the epilogue has room for it. `can_run` is asked before each step whether a
// kernel exists for the fused problem; without one the steps stay apart.
PassLog fuse_epilogues(Program& program, const std::function<bool(const Step& fused)>& can_run);

}  // namespace tessera
