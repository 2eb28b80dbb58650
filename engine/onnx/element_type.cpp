// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/element_type.h"

#include <array>
#include <cstddef>

namespace tessera {
namespace {

struct ElementType {
  const char* name;
  std::optional<DType> dtype;
};

// By the numbers of TensorProto.DataType in onnx.proto. As numbers, because the schema that this is
// compiled with may be older than the file that is read.
constexpr std::array<ElementType, 29> kElementTypes = {{
    {"undefined", {}},
    {"float32", DType::kF32},
    {"uint8", DType::kU8},
    {"int8", DType::kI8},
    {"uint16", DType::kU16},
    {"int16", DType::kI16},
    {"int32", DType::kI32},
    {"int64", DType::kI64},
    {"string", {}},
    {"bool", DType::kBool},
    {"float16", DType::kF16},
    {"float64", DType::kF64},
    {"uint32", DType::kU32},
    {"uint64", DType::kU64},
    {"complex64", {}},
    {"complex128", {}},
    {"bfloat16", DType::kBF16},
    {"float8e4m3fn", {}},
    {"float8e4m3fnuz", {}},
    {"float8e5m2", {}},
    {"float8e5m2fnuz", {}},
    {"uint4", {}},
    {"int4", {}},
    {"float4e2m1", {}},
    {"float8e8m0", {}},
    {"uint2", {}},
    {"int2", {}},
    {"float6e2m3", {}},
    {"float6e3m2", {}},
}};

bool is_known(int32_t element_type) {
  return element_type >= 0 && static_cast<size_t>(element_type) < kElementTypes.size();
}

}  // namespace

std::optional<DType> dtype_from_onnx(int32_t element_type) {
  return is_known(element_type) ? kElementTypes[element_type].dtype : std::nullopt;
}

std::string onnx_element_type_name(int32_t element_type) {
  return is_known(element_type) ? kElementTypes[element_type].name
                                : "number " + std::to_string(element_type);
}

}  // namespace tessera
