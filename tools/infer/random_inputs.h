// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/status.h"
#include "core/tensor.h"
#include "engine/model/input_shapes.h"
#include "tessera/model.h"

namespace tessera::cli {

// Inputs of these shapes, the same in every run: floats uniform in [-1, 1), which is what
// normalised pictures look like; other types 0 or 1, which is in range for whatever they index.
Result<std::vector<Tensor>> random_inputs(const Model& model, const InputShapes& shapes);

}  // namespace tessera::cli
