// SPDX-License-Identifier: Apache-2.0
#include "layers/inputs.h"

namespace tessera {

Result<Inputs> Inputs::check(std::span<const LayerInput> inputs,
                             std::initializer_list<std::string_view> required,
                             std::initializer_list<std::string_view> optional) {
  std::vector<std::string_view> names(required);
  names.insert(names.end(), optional);
  Inputs named(inputs, std::move(names));
  for (size_t i = 0; i < required.size(); ++i) {
    if (!named.has(i)) {
      return invalid_model("input '" + std::string(named.names_[i]) + "' is missing");
    }
  }
  if (inputs.size() > named.names_.size()) {
    return invalid_model("the node has " + std::to_string(inputs.size()) +
                         " inputs, the operator takes at most " +
                         std::to_string(named.names_.size()) + " at this opset");
  }
  return named;
}

std::string Inputs::describe(size_t index) const {
  return "input '" + std::string(names_[index]) + "' " + desc(index).to_string();
}

Status Inputs::expect_rank(size_t index, size_t rank) const {
  if (shape(index).rank() == rank) return {};
  return invalid_model(describe(index) + ": expected rank " + std::to_string(rank));
}

Status Inputs::expect_shape(size_t index, const Shape& expected) const {
  if (shape(index) == expected) return {};
  return invalid_model(describe(index) + ": expected the shape " + expected.to_string());
}

Status Inputs::expect_same_dtype() const {
  for (size_t i = 1; i < inputs_.size(); ++i) {
    if (has(i) && desc(i).dtype != desc(0).dtype) {
      return invalid_model(describe(i) + ": expected " + dtype_name(desc(0).dtype) +
                           ", the type of input '" + std::string(names_[0]) + "'");
    }
  }
  return {};
}

Status Inputs::expect_float32() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (has(i) && desc(i).dtype != DType::kF32) {
      return unsupported(describe(i) + ": only float32 is computed yet");
    }
  }
  return {};
}

Result<Tensor> Inputs::constant(size_t index) const {
  if (inputs_[index].constant != nullptr) return *inputs_[index].constant;
  return unsupported(describe(index) +
                     ": its value is known only when the model runs, and here it must be a "
                     "constant; export the model with fixed shapes or simplify it");
}

Result<std::vector<int64_t>> Inputs::constant_integers(size_t index) const {
  const DType dtype = desc(index).dtype;
  if (dtype != DType::kI64 && dtype != DType::kI32) {
    return invalid_model(describe(index) + ": expected int64 or int32");
  }
  if (shape(index).rank() > 1) return invalid_model(describe(index) + ": expected rank 1");
  TESSERA_ASSIGN_OR_RETURN(const Tensor value, constant(index));
  return elements_as_int64(value);
}

Result<Tensor> Inputs::constant_scalar(size_t index) const {
  if (desc(index).num_elements() != 1) {
    return invalid_model(describe(index) + ": expected a scalar");
  }
  return constant(index);
}

}  // namespace tessera
