// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/status.h"
#include "core/tensor.h"
#include "engine/graph/graph.h"

namespace tessera {

// Reads an ONNX model file (protobuf, IR 3 and later) into a Graph. Weights in external files are
// mapped, not copied; they must lie in the model's folder or below it. The message of an error
// starts with the path and lists every problem found, one a line, each with node, operator, opset
// and remedy. Errors: kNotFound (no file, no permission), kInvalidArgument (a folder, a pipe),
// kInvalidModel (not ONNX, truncated, contradictory), kUnsupported (operators, opsets, dtypes),
// kOutOfMemory, kIo.
Result<Graph> load_onnx(const std::string& path);

// The same from memory; `name` stands for the path in messages, `folder` is where external data is
// looked for; when it is empty, external data is an error.
Result<Graph> load_onnx_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                    const std::string& folder);

// Reads a serialized TensorProto (.pb file of an ONNX test data set).
Result<Tensor> load_tensor_proto(const std::string& path);

}  // namespace tessera
