// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/graph/graph.h"
#include "engine/onnx/diagnostics.h"

namespace tessera {

namespace onnx {
class ModelProto;
}

// Turns the message of a model file into a Graph; tensors are moved out of `model`. `folder` is
// where external data is looked for. The graph is valid when nothing was reported.
Graph read_graph(onnx::ModelProto& model, const std::string& folder, Diagnostics& diagnostics);

}  // namespace tessera
