// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/encoding.h"

#include <cstring>

#include "core/check.h"
#include "core/half.h"
#include "core/tensor.h"

namespace tessera {

Bytes encode(const std::vector<double>& values, DType dtype) {
  const size_t size = dtype_size_bytes(dtype);
  Bytes bytes(values.size() * size);
  const auto store = [&](size_t i, auto value) {
    static_assert(sizeof(value) >= 2);
    std::memcpy(&bytes[i * size], &value, sizeof(value));
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<float>(values[i]);
    switch (dtype) {
      case DType::kF64:
        store(i, values[i]);
        break;
      case DType::kF32:
        store(i, narrow);
        break;
      case DType::kF16:
        store(i, float_to_half_bits(narrow));
        break;
      case DType::kBF16:
        store(i, float_to_bfloat16_bits(narrow));
        break;
      default:
        TESSERA_CHECK(false && "a floating-point dtype");
    }
  }
  return bytes;
}

std::vector<double> decode(const Bytes& bytes, DType dtype) {
  std::vector<double> values(bytes.size() / dtype_size_bytes(dtype));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = read_element(bytes, dtype, static_cast<int64_t>(i));
  }
  return values;
}

double read_element(std::span<const std::byte> memory, DType dtype, int64_t index) {
  const int64_t elements = static_cast<int64_t>(memory.size() / dtype_size_bytes(dtype));
  return element_as_double(Tensor::wrap({dtype, {elements}}, memory.data(), nullptr), index);
}

}  // namespace tessera
