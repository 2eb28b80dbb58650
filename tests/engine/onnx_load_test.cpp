// SPDX-License-Identifier: Apache-2.0
// What a good model file turns into.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/onnx/load.h"
#include "onnx_schema.pb.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;

Graph load(const OnnxBuilder& builder) {
  Result<Graph> graph = builder.load();
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return graph.ok() ? std::move(*graph) : Graph();
}

std::vector<std::string> node_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.push_back(node.name);
  return names;
}

std::string value_name(const Graph& graph, ValueId id) {
  return id == kNoValue ? "(none)" : graph.values[id].name;
}

TEST(OnnxLoad, HeaderIsKept) {
  OnnxBuilder builder(11, 6);
  builder.input("x", DType::kF32, {2}).node("Relu", {"x"}, {"y"}).output("y");
  builder.metadata("classes", "cat,dog").import_opset("com.example", 3);
  builder.proto().set_producer_name("pytorch");
  builder.proto().set_producer_version("2.9.1");
  const Graph graph = load(builder);
  EXPECT_EQ(graph.name, "test");
  EXPECT_EQ(graph.producer, "pytorch 2.9.1");
  EXPECT_EQ(graph.ir_version, 6);
  EXPECT_EQ(graph.opset, 11);
  EXPECT_EQ(graph.metadata.at("classes"), "cat,dog");
}

TEST(OnnxLoad, NamesBecomeIndices) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {"batch", 3, "", 4})
      .initializer("w", Tensor::from_values<float>({1}, {2.5f}))
      .node("Mul", {"x", "w"}, {"m"}, {}, "scale")
      .node("Relu", {"m"}, {"y"})
      .output("y", DType::kF32, {"batch", 3, "", 4})
      .output("m");
  const Graph graph = load(builder);
  ASSERT_EQ(graph.inputs.size(), 1u);
  const Value& x = graph.values[graph.inputs[0]];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.declared_dtype, DType::kF32);
  ASSERT_TRUE(x.declared_shape.has_value());
  ASSERT_EQ(x.declared_shape->size(), 4u);
  EXPECT_EQ((*x.declared_shape)[0].symbol, "batch");
  EXPECT_EQ((*x.declared_shape)[0].extent, -1);
  EXPECT_EQ((*x.declared_shape)[1].extent, 3);
  EXPECT_EQ((*x.declared_shape)[2].extent, -1);
  EXPECT_EQ((*x.declared_shape)[2].symbol, "");

  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_THAT(node_names(graph), ElementsAre("scale", "Relu_1"));
  const Value& w = graph.values[graph.nodes[0].inputs[1]];
  ASSERT_TRUE(w.constant.has_value());
  EXPECT_THAT(w.constant->values<float>(), ElementsAre(2.5f));
  EXPECT_EQ(w.desc, w.constant->desc());
  EXPECT_EQ(graph.nodes[0].layer, find_layer("", "Mul"));
  EXPECT_EQ(graph.nodes[0].opset, 13);
  EXPECT_EQ(graph.nodes[0].outputs[0], graph.nodes[1].inputs[0]);
  EXPECT_THAT(graph.outputs, ElementsAre(graph.nodes[1].outputs[0], graph.nodes[0].outputs[0]));
}

TEST(OnnxLoad, InitializersListedAsInputsAreNotInputs) {
  OnnxBuilder builder(8, 3);
  builder.input("w", DType::kF32, {1})
      .input("x", DType::kF32, {1})
      .initializer("w", Tensor::from_values<float>({1}, {1.0f}))
      .node("Add", {"x", "w"}, {"y"})
      .output("y");
  const Graph graph = load(builder);
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(value_name(graph, graph.inputs[0]), "x");
}

TEST(OnnxLoad, OptionalInputsAndOutputsThatAreLeftOutHaveNoValue) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1})
      .initializer("high", Tensor::from_values<float>({}, {1.0f}))
      .node("Clip", {"x", "", "high"}, {"y"})
      .node("Dropout", {"y"}, {"z", ""})
      .output("z");
  const Graph graph = load(builder);
  EXPECT_EQ(graph.nodes[0].inputs[1], kNoValue);
  EXPECT_EQ(value_name(graph, graph.nodes[0].inputs[2]), "high");
  EXPECT_THAT(graph.nodes[1].outputs, ElementsAre(graph.outputs[0], kNoValue));
}

TEST(OnnxLoad, NodesAreSorted) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1})
      .node("Add", {"b", "c"}, {"y"}, {}, "last")
      .node("Relu", {"a"}, {"b"}, {}, "second")
      .node("Relu", {"x"}, {"a"}, {}, "first")
      .node("Identity", {"a"}, {"c"}, {}, "third")
      .output("y");
  EXPECT_THAT(node_names(load(builder)), ElementsAre("first", "second", "third", "last"));
}

TEST(OnnxLoad, NodeNamesAreUniqueAndNeverEmpty) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1})
      .node("Relu", {"x"}, {"a"})
      .node("Relu", {"a"}, {"b"}, {}, "same")
      .node("Relu", {"b"}, {"c"}, {}, "same")
      .node("Relu", {"c"}, {"d"}, {}, "Relu_0")
      .output("d");
  EXPECT_THAT(node_names(load(builder)), ElementsAre("Relu_0_", "same", "same_2", "Relu_0"));
}

TEST(OnnxLoad, AiOnnxIsTheDefaultDomain) {
  OnnxBuilder builder;
  builder.proto().mutable_opset_import(0)->set_domain("ai.onnx");
  builder.input("x", DType::kF32, {1})
      .node("Relu", {"x"}, {"a"}, {}, "", "ai.onnx")
      .node("Relu", {"a"}, {"y"})
      .output("y");
  const Graph graph = load(builder);
  EXPECT_EQ(graph.opset, 13);
  EXPECT_EQ(graph.nodes[0].domain, "");
  EXPECT_EQ(graph.nodes[0].opset, 13);
}

TEST(OnnxLoad, OpsetSixIsReadForGemm) {
  OnnxBuilder builder(6, 3);
  builder.input("a", DType::kF32, {2, 2})
      .initializer("b", Tensor::from_values<float>({2, 2}, {1, 2, 3, 4}))
      .initializer("c", Tensor::from_values<float>({2}, {1, 2}))
      .node("Gemm", {"a", "b", "c"}, {"y"}, {{"broadcast", 1}})
      .output("y");
  EXPECT_EQ(load(builder).nodes[0].opset, 6);
}

TEST(OnnxLoad, ValueInfoIsAHint) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1}).node("Relu", {"x"}, {"a"}).node("Relu", {"a"}, {"y"});
  builder.output("y");
  onnx::ValueInfoProto& hint = *builder.proto().mutable_graph()->add_value_info();
  hint.set_name("a");
  hint.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  hint.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(1);
  onnx::ValueInfoProto& unusable = *builder.proto().mutable_graph()->add_value_info();
  unusable.set_name("y");
  unusable.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::STRING);
  const Graph graph = load(builder);
  const Value& a = graph.values[graph.nodes[0].outputs[0]];
  EXPECT_EQ(a.declared_dtype, DType::kF32);
  ASSERT_TRUE(a.declared_shape.has_value());
  EXPECT_EQ(a.declared_shape->at(0).extent, 1);
  EXPECT_FALSE(graph.values[graph.outputs[0]].declared_dtype.has_value());
}

TEST(OnnxLoad, NegativeExtentOfAnInputIsAnOpenOne) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {"batch"}).node("Relu", {"x"}, {"y"}).output("y");
  onnx::TypeProto& type = *builder.proto().mutable_graph()->mutable_input(0)->mutable_type();
  type.mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_value(-1);
  const Graph graph = load(builder);
  EXPECT_EQ(graph.values[graph.inputs[0]].declared_shape->at(0).extent, -1);
}

TEST(OnnxLoad, AttributesKeepTheirTypes) {
  OnnxBuilder builder;
  const Attributes attributes = {
      {"an_int", int64_t{-7}},
      {"a_float", 0.5f},
      {"a_string", std::string("SAME_UPPER")},
      {"a_tensor", Tensor::from_values<int64_t>({2}, {3, 4})},
      {"ints", std::vector<int64_t>{1, 2}},
      {"floats", std::vector<float>{1.5f}},
      {"strings", std::vector<std::string>{"a", "b"}},
  };
  builder.input("x", DType::kF32, {1}).node("Relu", {"x"}, {"y"}, attributes).output("y");
  const Graph graph = load(builder);
  const Attributes& read = graph.nodes[0].attributes;
  ASSERT_EQ(read.size(), attributes.size());
  EXPECT_EQ(std::get<int64_t>(read.at("an_int")), -7);
  EXPECT_EQ(std::get<float>(read.at("a_float")), 0.5f);
  EXPECT_EQ(std::get<std::string>(read.at("a_string")), "SAME_UPPER");
  EXPECT_THAT(std::get<Tensor>(read.at("a_tensor")).values<int64_t>(), ElementsAre(3, 4));
  EXPECT_THAT(std::get<std::vector<int64_t>>(read.at("ints")), ElementsAre(1, 2));
  EXPECT_THAT(std::get<std::vector<float>>(read.at("floats")), ElementsAre(1.5f));
  EXPECT_THAT(std::get<std::vector<std::string>>(read.at("strings")), ElementsAre("a", "b"));
}

TEST(OnnxLoad, AttributeWithoutATypeHasThatOfItsValue) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1})
      .node("Relu", {"x"}, {"y"},
            {{"i", 1}, {"f", 2.0f}, {"s", "t"}, {"ints", std::vector<int64_t>{5}}})
      .output("y");
  for (auto& attribute : *builder.proto().mutable_graph()->mutable_node(0)->mutable_attribute()) {
    attribute.clear_type();
  }
  const Graph graph = load(builder);
  const Attributes& read = graph.nodes[0].attributes;
  EXPECT_EQ(std::get<int64_t>(read.at("i")), 1);
  EXPECT_EQ(std::get<float>(read.at("f")), 2.0f);
  EXPECT_EQ(std::get<std::string>(read.at("s")), "t");
  EXPECT_THAT(std::get<std::vector<int64_t>>(read.at("ints")), ElementsAre(5));
}

TEST(OnnxLoad, UnusedInitializerOfAnUnsupportedTypeIsNoProblem) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {1}).node("Relu", {"x"}, {"y"}).output("y");
  onnx::TensorProto& labels = *builder.proto().mutable_graph()->add_initializer();
  labels.set_name("labels");
  labels.set_data_type(onnx::TensorProto::STRING);
  labels.add_dims(1);
  labels.add_string_data("cat");
  EXPECT_TRUE(builder.load().ok());
}

}  // namespace
}  // namespace tessera
