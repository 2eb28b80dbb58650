// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>

namespace tessera {

// Element type of a tensor. kBool is one byte, 0 or 1.
enum class DType : uint8_t {
  kF32,
  kF64,
  kF16,
  kBF16,
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kBool,
};

// Bytes of one element.
size_t dtype_size_bytes(DType dtype);

// "float32", "int64", ... as numpy spells them.
const char* dtype_name(DType dtype);

bool dtype_is_float(DType dtype);    // f64 f32 f16 bf16
bool dtype_is_integer(DType dtype);  // signed and unsigned integers, not bool

std::ostream& operator<<(std::ostream& out, DType dtype);

// The DType that stores a C++ type: dtype_of<float>() is kF32.
template <typename T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() {
  return DType::kF32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::kF64;
}
template <>
constexpr DType dtype_of<int8_t>() {
  return DType::kI8;
}
template <>
constexpr DType dtype_of<uint8_t>() {
  return DType::kU8;
}
template <>
constexpr DType dtype_of<int16_t>() {
  return DType::kI16;
}
template <>
constexpr DType dtype_of<uint16_t>() {
  return DType::kU16;
}
template <>
constexpr DType dtype_of<int32_t>() {
  return DType::kI32;
}
template <>
constexpr DType dtype_of<uint32_t>() {
  return DType::kU32;
}
template <>
constexpr DType dtype_of<int64_t>() {
  return DType::kI64;
}
template <>
constexpr DType dtype_of<uint64_t>() {
  return DType::kU64;
}
template <>
constexpr DType dtype_of<bool>() {
  return DType::kBool;
}

}  // namespace tessera
