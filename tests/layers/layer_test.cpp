// SPDX-License-Identifier: Apache-2.0
#include "tests/layers/layer_test.h"

#include "kernels/backend.h"
#include "kernels/select.h"

namespace tessera {
namespace {

// Computes `problem` on the reference backend.
Result<Tensor> compute(const Problem& problem, const std::vector<const void*>& operands,
                       const TensorDesc& output) {
  const Backend* backend = find_backend("reference");
  if (backend == nullptr) return unavailable("no reference backend");
  TESSERA_ASSIGN_OR_RETURN(auto device, backend->open(0));
  TESSERA_ASSIGN_OR_RETURN(const KernelEntry* entry, select(problem, *backend, device->info()));
  TESSERA_ASSIGN_OR_RETURN(auto kernel, entry->create(problem, *device));
  TESSERA_ASSIGN_OR_RETURN(auto stream, device->create_stream());
  TESSERA_ASSIGN_OR_RETURN(Tensor result, Tensor::allocate(output));
  Operands launch;
  launch.inputs = operands;
  launch.output = result.mutable_data();
  TESSERA_RETURN_IF_ERROR(kernel->launch(launch, *stream));
  TESSERA_RETURN_IF_ERROR(stream->synchronize());
  return result;
}

}  // namespace

AttributeValue ints(std::vector<int64_t> values) { return values; }
AttributeValue floats(std::vector<float> values) { return values; }

Tensor int64_list(std::vector<int64_t> values) {
  return Tensor::from_values<int64_t>({static_cast<int64_t>(values.size())}, values);
}

Tensor float_scalar(float value) { return Tensor::from_values<float>({}, {value}); }

TestNode& TestNode::attribute(const std::string& name, AttributeValue value) {
  attributes_[name] = std::move(value);
  return *this;
}

TestNode& TestNode::input(Shape shape, DType dtype) {
  inputs_.push_back({true, {dtype, std::move(shape)}, std::nullopt});
  return *this;
}

TestNode& TestNode::constant(Tensor value) {
  const TensorDesc desc = value.desc();
  inputs_.push_back({true, desc, std::move(value)});
  return *this;
}

TestNode& TestNode::missing() {
  inputs_.push_back({});
  return *this;
}

TestNode& TestNode::outputs(size_t count) {
  num_outputs_ = count;
  return *this;
}

TestNode& TestNode::opset(int opset) {
  opset_ = opset;
  return *this;
}

LayerNode TestNode::node() const { return {op_type_, opset_, num_outputs_, attributes_}; }

std::vector<LayerInput> TestNode::layer_inputs() const {
  std::vector<LayerInput> inputs;
  for (const Input& input : inputs_) {
    inputs.push_back({input.present, input.desc, input.constant ? &*input.constant : nullptr});
  }
  return inputs;
}

Result<std::vector<TensorDesc>> TestNode::infer() const {
  const LayerDef* def = find_layer("", op_type_);
  if (def == nullptr) return not_found("no layer " + op_type_);
  return def->infer(node(), layer_inputs());
}

Result<Lowering> TestNode::lower() const {
  TESSERA_ASSIGN_OR_RETURN(const auto outputs, infer());
  return find_layer("", op_type_)->lower(node(), layer_inputs(), outputs);
}

Result<Tensor> TestNode::run() const {
  TESSERA_ASSIGN_OR_RETURN(const auto outputs, infer());
  TESSERA_ASSIGN_OR_RETURN(const Lowering lowering, lower());
  const Lowering::OutputSource& source = lowering.outputs.at(0);
  if (const auto* constant = std::get_if<Lowering::Constant>(&source)) return constant->value;
  if (const auto* alias = std::get_if<Lowering::Alias>(&source)) {
    return inputs_.at(static_cast<size_t>(alias->input)).constant->reshaped(outputs[0].shape);
  }
  std::vector<const void*> operands;
  for (const int input : lowering.operands) {
    operands.push_back(input < 0 ? nullptr
                                 : inputs_.at(static_cast<size_t>(input)).constant->data());
  }
  return compute(*lowering.problem, operands, outputs[0]);
}

void expect_outputs(const TestNode& node, const std::vector<TensorDesc>& expected) {
  const auto outputs = node.infer();
  ASSERT_TRUE(outputs.ok()) << node.op_type() << ": " << outputs.status().message();
  EXPECT_EQ(*outputs, expected) << node.op_type();
  const auto lowering = node.lower();
  ASSERT_TRUE(lowering.ok()) << node.op_type() << ": " << lowering.status().message();
  EXPECT_EQ(lowering->outputs.size(), expected.size()) << node.op_type();
}

void expect_shape(const TestNode& node, const Shape& expected) {
  expect_outputs(node, {{DType::kF32, expected}});
}

void expect_error(const TestNode& node, StatusCode code, std::initializer_list<const char*> parts) {
  const Result<Lowering> lowering = node.lower();
  ASSERT_FALSE(lowering.ok()) << node.op_type();
  const Status status = lowering.status();
  EXPECT_EQ(status_code_name(status.code()), std::string(status_code_name(code)))
      << node.op_type() << ": " << status.message();
  for (const char* part : parts) EXPECT_THAT(status.message(), testing::HasSubstr(part));
}

std::vector<float> run_floats(const TestNode& node) {
  const Result<Tensor> result = node.run();
  EXPECT_TRUE(result.ok()) << node.op_type() << ": " << result.status().message();
  std::vector<float> elements;
  if (!result.ok()) return elements;
  for (int64_t i = 0; i < result->num_elements(); ++i) {
    elements.push_back(static_cast<float>(element_as_double(*result, i)));
  }
  return elements;
}

int aliased_input(const TestNode& node) {
  const Result<Lowering> lowering = node.lower();
  EXPECT_TRUE(lowering.ok()) << lowering.status().message();
  if (!lowering.ok() || lowering->outputs.empty()) return -1;
  const auto* alias = std::get_if<Lowering::Alias>(&lowering->outputs[0]);
  return alias != nullptr ? alias->input : -1;
}

}  // namespace tessera
