// SPDX-License-Identifier: Apache-2.0
#include "layers/element_type.h"

#include <array>

namespace tessera {
namespace {

struct ElementType {
  const char* name;
  std::optional<DType> dtype;
};

// By the numbers of TensorProto.DataType. As numbers, because layers do not see the schema.
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

const ElementType* find(int64_t code) {
  const bool known = code >= 0 && code < static_cast<int64_t>(kElementTypes.size());
  return known ? &kElementTypes[static_cast<size_t>(code)] : nullptr;
}

}  // namespace

std::optional<DType> dtype_from_onnx(int64_t code) {
  const ElementType* type = find(code);
  return type != nullptr ? type->dtype : std::nullopt;
}

std::string onnx_element_type_name(int64_t code) {
  const ElementType* type = find(code);
  return type != nullptr ? type->name : "number " + std::to_string(code);
}

}  // namespace tessera
