// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/shape.h"
#include "core/status.h"
#include "tessera/model.h"

namespace tessera {

// Concrete shapes for all inputs of a model.
struct InputShapes {
  std::vector<Shape> shapes;         // in the order of model.inputs()
  int64_t batch = 1;                 // the extent of the first dimension of the first input
  bool batch_is_fixed = false;       // the model declares it; the caller's wish was not followed
  std::vector<std::string> guessed;  // keys of open extents that were not given and taken as 1
  std::vector<std::string> notes;    // one sentence for each of those
};

// The open first dimension of an input is the batch; other open dimensions come from `symbols`
// (by symbol, or "input:axis" for an unnamed one) and are 1, with a note, when not given.
// kInvalidArgument for a symbol that the model does not have.
Result<InputShapes> resolve_input_shapes(const Model& model, int64_t batch,
                                         const std::map<std::string, int64_t>& symbols = {});

}  // namespace tessera
