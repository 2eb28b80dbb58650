// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/dtype.h"

namespace tessera {

// The DType of an ONNX element type (TensorProto.DataType), or nothing when tensors of that type
// are not supported.
std::optional<DType> dtype_from_onnx(int32_t element_type);

// Its name for messages, unsupported ones included: "string", "float8e4m3fn", "number 99".
std::string onnx_element_type_name(int32_t element_type);

}  // namespace tessera
