// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/dtype.h"

namespace tessera {

// The DType of a code of ONNX's TensorProto.DataType, or nothing for those that have none here:
// strings, complex numbers, floats of 8 and fewer bits, integers of 4 and fewer bits.
std::optional<DType> dtype_from_onnx(int64_t code);

// Its name for messages, also of those: "string", "float8e4m3fn", "number 77".
std::string onnx_element_type_name(int64_t code);

}  // namespace tessera
