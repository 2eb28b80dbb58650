// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "core/tensor.h"
#include "layers/layer.h"

namespace tessera {

// The inputs of a node under the names that the ONNX specification gives them: the checks that most
// operators need, with messages that say which input, its shape and what was expected.
class Inputs {
 public:
  // kInvalidModel when a required input is missing or there are more inputs than names. `inputs`
  // must outlive the result.
  static Result<Inputs> check(std::span<const LayerInput> inputs,
                              std::initializer_list<std::string_view> required,
                              std::initializer_list<std::string_view> optional = {});

  [[nodiscard]] bool has(size_t index) const {
    return index < inputs_.size() && inputs_[index].present;
  }
  // The following require has(index).
  [[nodiscard]] const TensorDesc& desc(size_t index) const { return inputs_[index].desc; }
  [[nodiscard]] const Shape& shape(size_t index) const { return inputs_[index].desc.shape; }
  // "input 'W' float32 (8, 3, 3, 3)"
  [[nodiscard]] std::string describe(size_t index) const;

  // kInvalidModel: "input 'W' float32 (8, 3): expected rank 4".
  [[nodiscard]] Status expect_rank(size_t index, size_t rank) const;
  [[nodiscard]] Status expect_shape(size_t index, const Shape& shape) const;
  // kInvalidModel unless all inputs that are present have the dtype of the first one.
  [[nodiscard]] Status expect_same_dtype() const;
  // kUnsupported unless all inputs that are present are float32, what the kernels compute so far.
  [[nodiscard]] Status expect_float32() const;

  // The elements of an int32 or int64 input of rank 0 or 1. kUnsupported when its value is not
  // known before the first run, kInvalidModel when it has another dtype or rank.
  [[nodiscard]] Result<std::vector<int64_t>> constant_integers(size_t index) const;
  // The single element of an input, as a host tensor. Errors as above.
  [[nodiscard]] Result<Tensor> constant_scalar(size_t index) const;

 private:
  Inputs(std::span<const LayerInput> inputs, std::vector<std::string_view> names)
      : inputs_(inputs), names_(std::move(names)) {}
  [[nodiscard]] Result<Tensor> constant(size_t index) const;

  std::span<const LayerInput> inputs_;
  std::vector<std::string_view> names_;
};

}  // namespace tessera
