// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/onnx/diagnostics.h"
#include "engine/onnx/external_data.h"
#include "layers/attributes.h"

namespace tessera {

namespace onnx {
class NodeProto;
}

// The attributes of `node`. Problems are reported as `where: attribute 'name' ...`, and that
// attribute is left out. Tensors are moved out of `node`.
Attributes read_attributes(onnx::NodeProto& node, const std::string& where, ExternalFiles& files,
                           Diagnostics& diagnostics);

}  // namespace tessera
