// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/status.h"
#include "core/tensor.h"
#include "engine/onnx/external_data.h"

namespace tessera {

namespace onnx {
class TensorProto;
}

// The tensor that a TensorProto holds. Its raw_data is moved out of `proto`, not copied. Sizes are
// checked against the data that is there before any memory is asked for. kInvalidModel,
// kUnsupported (element types), kNotFound and kIo (external data), kOutOfMemory; the message does
// not name the tensor.
Result<Tensor> read_tensor(onnx::TensorProto& proto, ExternalFiles& files);

}  // namespace tessera
