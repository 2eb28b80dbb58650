// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "layers/layer.h"

namespace tessera {

// Values of list attributes.
AttributeValue ints(std::vector<int64_t> values);
AttributeValue floats(std::vector<float> values);

// Constant tensors of rank 1 and 0, as shapes, axes and bounds are given.
Tensor int64_list(std::vector<int64_t> values);
Tensor float_scalar(float value);

// A node put together by a test: operator, opset, attributes and inputs.
class TestNode {
 public:
  TestNode(std::string op_type, int opset) : op_type_(std::move(op_type)), opset_(opset) {}

  TestNode& attribute(const std::string& name, AttributeValue value);
  // An input known by its descriptor only.
  TestNode& input(Shape shape, DType dtype = DType::kF32);
  // An input whose value is known.
  TestNode& constant(Tensor value);
  // An optional input left out.
  TestNode& missing();
  TestNode& outputs(size_t count);

  // For tests that change a node.
  struct Input {
    bool present = false;
    TensorDesc desc;
    std::optional<Tensor> constant;
  };
  std::vector<Input>& inputs() { return inputs_; }
  TestNode& opset(int opset);

  [[nodiscard]] const std::string& op_type() const { return op_type_; }
  [[nodiscard]] Result<std::vector<TensorDesc>> infer() const;
  // Runs infer first, as the contract asks.
  [[nodiscard]] Result<Lowering> lower() const;
  // The first output, computed by the reference backend where a problem is left to compute.
  // Requires: all inputs are constants.
  [[nodiscard]] Result<Tensor> run() const;

 private:
  [[nodiscard]] LayerNode node() const;
  [[nodiscard]] std::vector<LayerInput> layer_inputs() const;

  std::string op_type_;
  int opset_;
  size_t num_outputs_ = 1;
  Attributes attributes_;
  std::vector<Input> inputs_;
};

// Inference gives exactly these outputs.
void expect_outputs(const TestNode& node, const std::vector<TensorDesc>& expected);
// Inference gives one float32 output of this shape.
void expect_shape(const TestNode& node, const Shape& expected);
// Inference or lowering fails with `code`, and the message contains each of `parts`.
void expect_error(const TestNode& node, StatusCode code, std::initializer_list<const char*> parts);
// The elements of the first output as float, after run().
std::vector<float> run_floats(const TestNode& node);

// The problem that the node is lowered to; fails the test and gives a default when it is another.
template <typename ProblemT>
ProblemT lowered_problem(const TestNode& node) {
  const Result<Lowering> lowering = node.lower();
  EXPECT_TRUE(lowering.ok()) << lowering.status().message();
  if (!lowering.ok() || !lowering->problem) {
    ADD_FAILURE() << node.op_type() << ": no problem";
    return {};
  }
  const auto* problem = std::get_if<ProblemT>(&*lowering->problem);
  EXPECT_NE(problem, nullptr) << to_string(*lowering->problem);
  return problem != nullptr ? *problem : ProblemT{};
}

// The input that the first output is an alias of; -1 when it is none.
int aliased_input(const TestNode& node);

}  // namespace tessera
