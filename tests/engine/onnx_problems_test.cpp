// SPDX-License-Identifier: Apache-2.0
// What is said about a model whose messages can be read but that makes no sense.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/onnx/load.h"
#include "onnx_schema.pb.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// x -> Relu -> y, to which a test adds what is wrong.
class OnnxProblems : public ::testing::Test {
 protected:
  OnnxProblems() : OnnxProblems(13, 8) {}
  OnnxProblems(int opset, int ir_version) : builder(opset, ir_version) {
    builder.input("x", DType::kF32, {1}).node("Relu", {"x"}, {"y"}, {}, "relu").output("y");
  }

  onnx::GraphProto& graph() { return *builder.proto().mutable_graph(); }
  [[nodiscard]] Status status() const { return builder.load().status(); }
  [[nodiscard]] std::string message() const { return status().message(); }

  OnnxBuilder builder;
};

TEST_F(OnnxProblems, TheModelOfTheseTestsIsFineItself) { EXPECT_TRUE(status().ok()); }

TEST_F(OnnxProblems, UnknownOperatorIsNamedWithNodeDomainAndOpset) {
  builder.node("FancyNewOp", {"x"}, {"z"}, {}, "my_node");
  EXPECT_EQ(status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(message(),
            "test.onnx: node 'my_node': operator FancyNewOp (domain ai.onnx, opset 13) is not "
            "supported; `infer ops` lists what is");
}

TEST_F(OnnxProblems, AllProblemsAreReportedOneALine) {
  builder.node("FancyNewOp", {"x"}, {"z"})
      .node("Relu", {"nowhere"}, {"w"})
      .node("OtherOp", {"x"}, {"v"})
      .output("u");
  const std::string text = message();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("test.onnx: node 'FancyNewOp_1': operator FancyNewOp"));
  EXPECT_THAT(text,
              HasSubstr("\ntest.onnx: node 'Relu_2' reads 'nowhere', which nothing produces"));
  EXPECT_THAT(text, HasSubstr("\ntest.onnx: node 'OtherOp_3': operator OtherOp"));
  EXPECT_THAT(text, HasSubstr("\ntest.onnx: graph output 'u' is something that nothing produces"));
}

// Each operator has its line however often it occurs, and no other kind of problem is crowded out.
TEST_F(OnnxProblems, ThousandsOfProblemsAreGrouped) {
  for (int i = 0; i < 3000; ++i) {
    const std::string number = std::to_string(i);
    builder.node(i % 2 == 0 ? "FancyNewOp" : "OtherOp", {"x"}, {}, {}, "n" + number);
    builder.node("Relu", {"none" + number}, {}, {}, "r" + number);
  }
  builder.node("FancyNewOp", {"x"}, {"z"}, {}, "theirs", "org.other").output("u");
  EXPECT_EQ(status().code(), StatusCode::kUnsupported);
  const std::string text = message();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9) << text;
  EXPECT_THAT(text, StartsWith("test.onnx: node 'n0', node 'n2', node 'n4' and 1497 more: operator "
                               "FancyNewOp (domain ai.onnx, opset 13) is not supported"));
  EXPECT_THAT(text, HasSubstr("\ntest.onnx: node 'n1', node 'n3', node 'n5' and 1497 more: "
                              "operator OtherOp (domain ai.onnx, opset 13) is not supported"));
  EXPECT_THAT(text, HasSubstr("\ntest.onnx: node 'r4' reads 'none4', which nothing produces\n"
                              "test.onnx: and 2995 more problems like the last\n"));
  EXPECT_THAT(text, HasSubstr("\ntest.onnx: node 'theirs': operator FancyNewOp is of domain "
                              "org.other, which opset_import does not name"));
  EXPECT_THAT(text, HasSubstr("\ntest.onnx: graph output 'u' is something that nothing produces"));
}

TEST_F(OnnxProblems, TheNumberOfKindsIsLimited) {
  for (int i = 0; i < 1000; ++i) builder.node("Op" + std::to_string(i), {"x"}, {});
  const std::string text = message();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 100);
  EXPECT_THAT(text, HasSubstr("\ntest.onnx: and 900 more problems"));
}

TEST_F(OnnxProblems, ForeignDomainIsAnErrorOnlyWhereANodeUsesIt) {
  builder.import_opset("com.example", 2);
  EXPECT_TRUE(status().ok());
  builder.node("Relu", {"x"}, {"z"}, {}, "theirs", "com.example");
  EXPECT_THAT(message(), HasSubstr("node 'theirs': operator Relu (domain com.example, opset 2) is "
                                   "not supported"));
  builder.node("Relu", {"x"}, {"w"}, {}, "others", "org.other");
  EXPECT_THAT(message(), HasSubstr("node 'others': operator Relu is of domain org.other, which "
                                   "opset_import does not name"));
}

TEST_F(OnnxProblems, LocalFunctionIsNamed) {
  builder.import_opset("local", 1).node("MyBlock", {"x"}, {"z"}, {}, "block", "local");
  onnx::FunctionProto& function = *builder.proto().add_functions();
  function.set_name("MyBlock");
  function.set_domain("local");
  EXPECT_EQ(status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(message(), HasSubstr("node 'block': calls MyBlock, a function that the model defines "
                                   "itself"));
}

TEST_F(OnnxProblems, NodeWithASubgraphIsAnUnsupportedOperator) {
  builder.node("If", {"x"}, {"z"}, {}, "choice");
  onnx::AttributeProto& branch = *graph().mutable_node(1)->add_attribute();
  branch.set_name("then_branch");
  branch.set_type(onnx::AttributeProto::GRAPH);
  branch.mutable_g()->set_name("inner");
  EXPECT_THAT(message(), HasSubstr("node 'choice': operator If"));
}

TEST_F(OnnxProblems, OpsetBounds) {
  onnx::OperatorSetIdProto& opset = *builder.proto().mutable_opset_import(0);
  opset.set_version(kNewestOpset);
  EXPECT_TRUE(status().ok());
  opset.set_version(kNewestOpset + 1);
  EXPECT_EQ(status().code(), StatusCode::kUnsupported);
  const std::string newest = std::to_string(kNewestOpset);
  EXPECT_THAT(message(), StartsWith("test.onnx: opset " + std::to_string(kNewestOpset + 1) +
                                    " of ai.onnx is newer than " + newest));
  opset.set_version(int64_t{1} << 40);
  EXPECT_THAT(message(), HasSubstr("is newer than " + newest));
  opset.set_version(5);
  EXPECT_THAT(message(), StartsWith("test.onnx: opset 5 of ai.onnx is older than 7"));
  opset.set_version(-3);
  EXPECT_THAT(message(), HasSubstr("is older than 7"));
}

TEST_F(OnnxProblems, DefaultDomainMustBeImported) {
  builder.proto().clear_opset_import();
  builder.import_opset("com.example", 1);
  EXPECT_EQ(message(),
            "test.onnx: opset_import does not name a version of the default domain, ai.onnx");
}

// Only the operator is the problem then, and it is an unsupported one.
TEST(OnnxDomains, AModelWithoutDefaultNodesNeedsNoDefaultDomain) {
  OnnxBuilder other;
  other.proto().clear_opset_import();
  other.import_opset("com.example", 1);
  other.input("x", DType::kF32, {2}).node("Thing", {"x"}, {"y"}, {}, "", "com.example").output("y");
  const auto graph = other.load();
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(graph.status().message(), ::testing::Not(HasSubstr("does not name")));
}

TEST_F(OnnxProblems, ContradictingImports) {
  builder.import_opset("ai.onnx", 13);
  EXPECT_TRUE(status().ok());
  builder.import_opset("ai.onnx", 12);
  EXPECT_THAT(message(), HasSubstr("names domain ai.onnx twice, as version 13 and 12"));
}

TEST_F(OnnxProblems, OldIrVersion) {
  builder.proto().set_ir_version(2);
  EXPECT_EQ(status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(message(), HasSubstr("IR version 2 is older than 3"));
}

TEST_F(OnnxProblems, ValueProducedTwice) {
  builder.node("Relu", {"x"}, {"y"}, {}, "again");
  EXPECT_EQ(status().code(), StatusCode::kInvalidModel);
  EXPECT_EQ(message(), "test.onnx: value 'y' comes from two places: node 'relu' and node 'again'");
}

TEST_F(OnnxProblems, NodeOutputNamedLikeAnInputOrInitializer) {
  builder.initializer("w", Tensor::from_values<float>({1}, {1.0f}))
      .node("Relu", {"y"}, {"x"}, {}, "a")
      .node("Relu", {"y"}, {"w"}, {}, "b");
  EXPECT_THAT(message(),
              HasSubstr("value 'x' comes from two places: graph input 'x' and node 'a'"));
  EXPECT_THAT(message(),
              HasSubstr("value 'w' comes from two places: initializer 'w' and node 'b'"));
}

TEST_F(OnnxProblems, InputOrInitializerGivenTwice) {
  builder.input("x", DType::kF32, {1})
      .initializer("w", Tensor::from_values<float>({1}, {1.0f}))
      .initializer("w", Tensor::from_values<float>({1}, {1.0f}));
  EXPECT_THAT(message(), HasSubstr("value 'x' comes from two places"));
  EXPECT_THAT(message(), HasSubstr("value 'w' comes from two places"));
}

TEST_F(OnnxProblems, CycleNamesItsNodes) {
  builder.node("Add", {"x", "c"}, {"a"}, {}, "first")
      .node("Relu", {"a"}, {"b"}, {}, "second")
      .node("Relu", {"b"}, {"c"}, {}, "third")
      .node("Relu", {"c"}, {"d"}, {}, "after");
  EXPECT_EQ(status().code(), StatusCode::kInvalidModel);
  const std::string text = message();
  EXPECT_THAT(text, HasSubstr("the graph has a cycle of 3 nodes: "));
  EXPECT_THAT(text, HasSubstr("'first' -> 'second'"));
  EXPECT_THAT(text, HasSubstr("'second' -> 'third'"));
  EXPECT_THAT(text, HasSubstr("'third' -> 'first'"));
  EXPECT_EQ(text.find("'after'"), std::string::npos);
}

TEST_F(OnnxProblems, NodeThatReadsItsOwnOutput) {
  builder.node("Relu", {"loop"}, {"loop"}, {}, "ouroboros");
  EXPECT_THAT(message(), HasSubstr("a cycle of 1 node: 'ouroboros' -> 'ouroboros'"));
}

TEST_F(OnnxProblems, GraphInputThatIsNoTensor) {
  onnx::ValueInfoProto& input = *graph().add_input();
  input.set_name("list");
  input.mutable_type()->mutable_sequence_type();
  EXPECT_EQ(status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(message(), HasSubstr("graph input 'list': is not declared as a tensor"));
}

TEST_F(OnnxProblems, GraphInputOfAnUnsupportedType) {
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(8);
  EXPECT_THAT(message(), HasSubstr("graph input 'x': element type string is not supported"));
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(17);
  EXPECT_THAT(message(), HasSubstr("element type float8e4m3fn is not supported"));
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(12345);
  EXPECT_THAT(message(), HasSubstr("element type number 12345 is not supported"));
}

TEST_F(OnnxProblems, GraphInputWithoutAType) {
  graph().mutable_input(0)->clear_type();
  EXPECT_THAT(message(), HasSubstr("graph input 'x' declares no element type"));
}

TEST_F(OnnxProblems, GraphWithoutOutputs) {
  graph().clear_output();
  EXPECT_EQ(message(), "test.onnx: the graph has no outputs");
}

TEST_F(OnnxProblems, SparseInitializer) {
  graph().add_sparse_initializer()->mutable_values()->set_name("w");
  builder.node("Add", {"x", "w"}, {"z"});
  EXPECT_EQ(message(),
            "test.onnx: initializer 'w' is sparse, which is not supported; store it as a dense "
            "tensor");
}

TEST_F(OnnxProblems, AttributesThatCannotBeRead) {
  builder.node("Relu", {"x"}, {"z"}, {{"twice", 1}}, "n");
  onnx::NodeProto& node = *graph().mutable_node(1);
  *node.add_attribute() = node.attribute(0);
  onnx::AttributeProto& inner = *node.add_attribute();
  inner.set_name("inner");
  inner.set_type(onnx::AttributeProto::GRAPH);
  node.add_attribute()->set_name("empty");
  onnx::AttributeProto& reference = *node.add_attribute();
  reference.set_name("reference");
  reference.set_ref_attr_name("outer");
  onnx::AttributeProto& labels = *node.add_attribute();
  labels.set_name("labels");
  labels.set_type(onnx::AttributeProto::TENSOR);
  labels.mutable_t()->set_data_type(onnx::TensorProto::STRING);
  const std::string text = message();
  EXPECT_THAT(text, HasSubstr("node 'n': attribute 'twice' is given twice"));
  EXPECT_THAT(text, HasSubstr("node 'n': attribute 'inner': is of kind GRAPH"));
  EXPECT_THAT(text, HasSubstr("node 'n': attribute 'empty': has no value"));
  EXPECT_THAT(text,
              HasSubstr("node 'n': attribute 'reference' refers to an attribute of a function"));
  EXPECT_THAT(text, HasSubstr("node 'n': attribute 'labels': element type string"));
}

TEST_F(OnnxProblems, NamesCannotBreakTheMessage) {
  builder.node("Bad\nOp\x1b[31m", {"no\rwhere"}, {"z"}, {}, "evil\nname");
  const std::string text = message();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(text, HasSubstr("node 'evil\\x0aname': operator Bad\\x0aOp\\x1b[31m"));
  EXPECT_THAT(text, HasSubstr("reads 'no\\x0dwhere'"));
}

TEST_F(OnnxProblems, NamesMustBeUtf8) {
  builder.node("Relu", {"x"}, {"\xff"}, {}, "\xc3(").metadata("key", "\x80");
  const std::string text = message();
  EXPECT_THAT(text, HasSubstr("has the name '\\xff', which is not valid UTF-8"));
  EXPECT_THAT(text, HasSubstr("node '\\xc3(' has a name that is not valid UTF-8"));
  EXPECT_THAT(text, HasSubstr("metadata_props 'key' is not valid UTF-8"));
}

}  // namespace
}  // namespace tessera
