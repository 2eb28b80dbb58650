// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/diagnostics.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/opset_imports.h"
#include "engine/onnx/value_table.h"

namespace tessera {

namespace onnx {
class ModelProto;
}

// Adds the nodes of `model` in the file's order, with their outputs as values, and looks up their
// operators. Tensors in attributes are moved out of `model`. Requires: initializers and inputs
// read.
void read_nodes(onnx::ModelProto& model, const OpsetImports& opsets, ExternalFiles& files,
                Graph& graph, ValueTable& values, Diagnostics& diagnostics);

}  // namespace tessera
