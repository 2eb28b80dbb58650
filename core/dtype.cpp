// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

namespace tessera {

size_t dtype_size_bytes(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
    case DType::kU64:
      return 8;
    case DType::kF32:
    case DType::kI32:
    case DType::kU32:
      return 4;
    case DType::kF16:
    case DType::kBF16:
    case DType::kI16:
    case DType::kU16:
      return 2;
    case DType::kI8:
    case DType::kU8:
    case DType::kBool:
      return 1;
  }
  return 0;
}

const char* dtype_name(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return "float32";
    case DType::kF64:
      return "float64";
    case DType::kF16:
      return "float16";
    case DType::kBF16:
      return "bfloat16";
    case DType::kI8:
      return "int8";
    case DType::kU8:
      return "uint8";
    case DType::kI16:
      return "int16";
    case DType::kU16:
      return "uint16";
    case DType::kI32:
      return "int32";
    case DType::kU32:
      return "uint32";
    case DType::kI64:
      return "int64";
    case DType::kU64:
      return "uint64";
    case DType::kBool:
      return "bool";
  }
  return "unknown";
}

bool dtype_is_float(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kF16 ||
         dtype == DType::kBF16;
}

bool dtype_is_integer(DType dtype) { return !dtype_is_float(dtype) && dtype != DType::kBool; }

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << dtype_name(dtype); }

}  // namespace tessera
