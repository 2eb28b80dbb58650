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

// "FLOAT8E4M3FN", as TensorProto.DataType spells it; "type 77" for an unknown code.
std::string onnx_dtype_name(int64_t code);

}  // namespace tessera
