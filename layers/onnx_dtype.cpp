// SPDX-License-Identifier: Apache-2.0
#include "layers/onnx_dtype.h"

#include <array>

namespace tessera {
namespace {

struct OnnxType {
  const char* name;
  std::optional<DType> dtype;
};

// By code.
constexpr std::array<OnnxType, 29> kTypes = {{
    {"UNDEFINED", {}},
    {"FLOAT", DType::kF32},
    {"UINT8", DType::kU8},
    {"INT8", DType::kI8},
    {"UINT16", DType::kU16},
    {"INT16", DType::kI16},
    {"INT32", DType::kI32},
    {"INT64", DType::kI64},
    {"STRING", {}},
    {"BOOL", DType::kBool},
    {"FLOAT16", DType::kF16},
    {"DOUBLE", DType::kF64},
    {"UINT32", DType::kU32},
    {"UINT64", DType::kU64},
    {"COMPLEX64", {}},
    {"COMPLEX128", {}},
    {"BFLOAT16", DType::kBF16},
    {"FLOAT8E4M3FN", {}},
    {"FLOAT8E4M3FNUZ", {}},
    {"FLOAT8E5M2", {}},
    {"FLOAT8E5M2FNUZ", {}},
    {"UINT4", {}},
    {"INT4", {}},
    {"FLOAT4E2M1", {}},
    {"FLOAT8E8M0", {}},
    {"UINT2", {}},
    {"INT2", {}},
    {"FLOAT6E2M3", {}},
    {"FLOAT6E3M2", {}},
}};

const OnnxType* find(int64_t code) {
  const bool known = code >= 0 && code < static_cast<int64_t>(kTypes.size());
  return known ? &kTypes[static_cast<size_t>(code)] : nullptr;
}

}  // namespace

std::optional<DType> dtype_from_onnx(int64_t code) {
  const OnnxType* type = find(code);
  return type != nullptr ? type->dtype : std::nullopt;
}

std::string onnx_dtype_name(int64_t code) {
  const OnnxType* type = find(code);
  return type != nullptr ? type->name : "type " + std::to_string(code);
}

}  // namespace tessera
