// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/check.h"
#include "core/dtype.h"
#include "core/half.h"
#include "kernels/kernel.h"

namespace tessera::reference {

// From an element type known at run time to a C++ type: each visit calls
// function(std::type_identity<T>()) and returns what it returns.

// The types without a C++ counterpart as they are stored. The 16-bit floats compute as float and
// round once when a result is stored; a double rounds twice on its way.
struct Float16 {
  Float16() = default;
  explicit Float16(float value) : bits(float_to_half_bits(value)) {}
  operator float() const { return half_bits_to_float(bits); }
  uint16_t bits;
};
struct BFloat16 {
  BFloat16() = default;
  explicit BFloat16(float value) : bits(float_to_bfloat16_bits(value)) {}
  operator float() const { return bfloat16_bits_to_float(bits); }
  uint16_t bits;
};
struct Bool {
  uint8_t byte;
};

// The floating-point types, the 16-bit ones as the structs above. Requires: `dtype` is one of them.
template <typename Function>
auto visit_float(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kF64:
      return function(std::type_identity<double>());
    case DType::kF16:
      return function(std::type_identity<Float16>());
    case DType::kBF16:
      return function(std::type_identity<BFloat16>());
    default:
      TESSERA_CHECK(dtype == DType::kF32);
      return function(std::type_identity<float>());
  }
}

// Every floating-point and every integer type. Requires: `dtype` is one of them.
template <typename Function>
auto visit_number(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::kI8:
      return function(std::type_identity<int8_t>());
    case DType::kU8:
      return function(std::type_identity<uint8_t>());
    case DType::kI16:
      return function(std::type_identity<int16_t>());
    case DType::kU16:
      return function(std::type_identity<uint16_t>());
    case DType::kI32:
      return function(std::type_identity<int32_t>());
    case DType::kU32:
      return function(std::type_identity<uint32_t>());
    case DType::kI64:
      return function(std::type_identity<int64_t>());
    case DType::kU64:
      return function(std::type_identity<uint64_t>());
    default:
      return visit_float(dtype, function);
  }
}

// Every dtype; float16, bfloat16 and bool as the structs above.
template <typename Function>
auto visit_element(DType dtype, Function&& function) {
  if (dtype == DType::kBool) return function(std::type_identity<Bool>());
  return visit_number(dtype, function);
}

// Every dtype as the unsigned integer of its size: for kernels that only move elements.
template <typename Function>
auto visit_storage(DType dtype, Function&& function) {
  switch (dtype_size_bytes(dtype)) {
    case 1:
      return function(std::type_identity<uint8_t>());
    case 2:
      return function(std::type_identity<uint16_t>());
    case 4:
      return function(std::type_identity<uint32_t>());
    default:
      return function(std::type_identity<uint64_t>());
  }
}

// supports() of the kernels that compute in floating point.
inline Support supports_float(DType dtype) {
  if (dtype_is_float(dtype)) return Support::yes();
  return Support::no(std::string("computes in floating point, not ") + dtype_name(dtype));
}

// Operand `index` of a launch, null when it is absent.
template <typename T>
const T* input(const Operands& operands, int index) {
  const auto position = static_cast<size_t>(index);
  return position < operands.inputs.size() ? static_cast<const T*>(operands.inputs[position])
                                           : nullptr;
}

template <typename T>
T* output(const Operands& operands) {
  return static_cast<T*>(operands.output);
}

}  // namespace tessera::reference
