// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/diagnostics.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/value_table.h"

namespace tessera {

namespace onnx {
class GraphProto;
}

// Adds the initializers of `proto` as constants. One of an element type that is not supported is
// reported only when something reads it. Tensors are moved out of `proto`.
void read_initializers(onnx::GraphProto& proto, ExternalFiles& files, Graph& graph,
                       ValueTable& values, Diagnostics& diagnostics);

// Adds the inputs of `proto` that are not initializers (IR 3 lists those as inputs too). Requires:
// initializers read.
void read_inputs(const onnx::GraphProto& proto, Graph& graph, ValueTable& values,
                 Diagnostics& diagnostics);

// Resolves the outputs of `proto` and the types that it declares for other values. Requires: all
// values added.
void read_outputs(const onnx::GraphProto& proto, Graph& graph, const ValueTable& values,
                  Diagnostics& diagnostics);

}  // namespace tessera
