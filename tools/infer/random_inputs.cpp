// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/random_inputs.h"

#include <random>

#include "core/half.h"

namespace tessera::cli {
namespace {

constexpr uint64_t kSeed = 20240917;

Result<Tensor> random_tensor(const TensorDesc& desc, std::mt19937_64& generator) {
  TESSERA_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(desc));
  std::uniform_real_distribution<double> real(-1.0, 1.0);
  const auto fill = [&](auto example, auto&& make) {
    for (auto& value : tensor.mutable_values<decltype(example)>()) value = make();
  };
  switch (desc.dtype) {
    case DType::kF32:
      fill(float{}, [&] { return static_cast<float>(real(generator)); });
      return tensor;
    case DType::kF64:
      fill(double{}, [&] { return real(generator); });
      return tensor;
    case DType::kF16:
      fill(uint16_t{}, [&] { return float_to_half_bits(static_cast<float>(real(generator))); });
      return tensor;
    case DType::kBF16:
      fill(uint16_t{}, [&] { return float_to_bfloat16_bits(static_cast<float>(real(generator))); });
      return tensor;
    default:
      break;
  }
  // Integers of any width and bool: the lowest byte is 0 or 1 and the others are 0.
  const size_t width = dtype_size_bytes(desc.dtype);
  auto* bytes = static_cast<uint8_t*>(tensor.mutable_data());
  for (size_t i = 0; i < tensor.size_bytes(); ++i) {
    bytes[i] = i % width == 0 ? static_cast<uint8_t>(generator() & 1U) : uint8_t{0};
  }
  return tensor;
}

}  // namespace

Result<std::vector<Tensor>> random_inputs(const Model& model, const InputShapes& shapes) {
  std::mt19937_64 generator(kSeed);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.shapes.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Tensor tensor,
                             random_tensor({model.inputs()[i].dtype, shapes.shapes[i]}, generator));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace tessera::cli
