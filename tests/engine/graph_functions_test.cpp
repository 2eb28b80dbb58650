// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/graph/graph.h"
#include "engine/graph/printable.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Node make_node(const std::string& name, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  Node node;
  node.name = name;
  node.op_type = "Op";
  node.opset = 13;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

// 0 -> a -> 1 -> b -> 2, (1, 2) -> c -> 3; outputs 3, 1, 3
Graph diamond() {
  Graph graph;
  graph.values.resize(4);
  graph.inputs = {0};
  graph.nodes = {make_node("a", {0, kNoValue}, {1, kNoValue}), make_node("b", {1}, {2}),
                 make_node("c", {1, 2, 2}, {3})};
  graph.outputs = {3, 1, 3};
  return graph;
}

std::vector<std::string> names(const Graph& graph) {
  std::vector<std::string> result;
  for (const Node& node : graph.nodes) result.push_back(node.name);
  return result;
}

TEST(Graph, UsesCountEveryReadAndEveryOutput) {
  EXPECT_THAT(count_uses(diamond()), ElementsAre(1, 3, 2, 2));
}

TEST(Graph, Producers) { EXPECT_THAT(find_producers(diamond()), ElementsAre(-1, 0, 1, 2)); }

TEST(Graph, SortingIsStable) {
  Graph graph = diamond();
  ASSERT_TRUE(sort_topologically(graph).ok());
  EXPECT_THAT(names(graph), ElementsAre("a", "b", "c"));

  Graph independent;
  independent.values.resize(4);
  independent.nodes = {make_node("z", {0}, {1}), make_node("y", {0}, {2}),
                       make_node("x", {0}, {3})};
  ASSERT_TRUE(sort_topologically(independent).ok());
  EXPECT_THAT(names(independent), ElementsAre("z", "y", "x"));
}

TEST(Graph, SortingPutsProducersFirst) {
  Graph graph = diamond();
  std::swap(graph.nodes[0], graph.nodes[2]);
  ASSERT_TRUE(sort_topologically(graph).ok());
  EXPECT_THAT(names(graph), ElementsAre("a", "b", "c"));
}

TEST(Graph, CycleLeavesTheGraphAsItIs) {
  Graph graph = diamond();
  graph.nodes[0].inputs[1] = 3;
  const Status status = sort_topologically(graph);
  EXPECT_EQ(status.code(), StatusCode::kInvalidModel);
  EXPECT_THAT(status.message(), HasSubstr("the graph has a cycle of "));
  EXPECT_THAT(status.message(), HasSubstr("'c' -> 'a'"));
  EXPECT_THAT(names(graph), ElementsAre("a", "b", "c"));
}

TEST(Graph, LongCycleIsShortenedInTheMessage) {
  constexpr int kNodes = 1000;
  Graph graph;
  graph.values.resize(kNodes);
  for (int i = 0; i < kNodes; ++i) {
    graph.nodes.push_back(make_node(std::to_string(i), {i}, {(i + 1) % kNodes}));
  }
  const Status status = sort_topologically(graph);
  EXPECT_THAT(status.message(), HasSubstr("a cycle of 1000 nodes"));
  EXPECT_LT(status.message().size(), 300u);
}

TEST(Graph, LayerInputsFollowTheValues) {
  Graph graph = diamond();
  const Tensor constant = Tensor::from_values<float>({2}, {1, 2});
  graph.values[0].desc = TensorDesc{DType::kF32, {2}};
  graph.values[0].constant = constant;
  const std::vector<LayerInput> inputs = layer_inputs(graph, graph.nodes[0]);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_TRUE(inputs[0].present);
  EXPECT_EQ(inputs[0].desc, constant.desc());
  EXPECT_EQ(inputs[0].constant->data(), constant.data());
  EXPECT_FALSE(inputs[1].present);
  EXPECT_EQ(inputs[1].constant, nullptr);
}

TEST(Graph, LayerNodeCountsOutputsUpToTheLastNamedOne) {
  EXPECT_EQ(layer_node(make_node("a", {}, {1, kNoValue, kNoValue})).num_outputs, 1u);
  EXPECT_EQ(layer_node(make_node("a", {}, {1, kNoValue, 2})).num_outputs, 3u);
  EXPECT_EQ(layer_node(make_node("a", {}, {})).num_outputs, 0u);
}

TEST(Graph, DescribeNamesNodeAndOpset) {
  EXPECT_EQ(describe(make_node("a", {}, {})), "Op 'a' (opset 13)");
}

TEST(Printable, EscapesWhatATerminalWouldActOn) {
  EXPECT_EQ(printable("conv1/W"), "conv1/W");
  EXPECT_EQ(printable("a\nb\x1b[0m\x7f"), "a\\x0ab\\x1b[0m\\x7f");
  EXPECT_EQ(printable("caf\xc3\xa9 \xe5\xb1\x82"), "caf\xc3\xa9 \xe5\xb1\x82");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xff"
                      "a"),
            "\\xffa");
  // U+0085 and U+009B, which terminals obey as a new line and as the beginning of a command.
  EXPECT_EQ(printable("\xc2\x85\xc2\x9b\xc2\xa0"), "\\xc2\\x85\\xc2\\x9b\xc2\xa0");
  EXPECT_EQ(quote_name("x"), "'x'");
}

TEST(Printable, CutsLongNames) {
  const std::string shown = printable(std::string(1000, 'n'));
  EXPECT_EQ(shown, std::string(120, 'n') + "...");
}

std::string unescape_name(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    unsigned byte = 0;
    const char* digits = text.size() >= 4 && text.starts_with("\\x") ? text.data() + 2 : nullptr;
    if (digits != nullptr && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      out += static_cast<char>(byte);
      text.remove_prefix(4);
    } else {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

TEST(Printable, EscapedNamesLoseNothing) {
  EXPECT_EQ(escape_name("a\\b caf\xc3\xa9"), "a\\b caf\xc3\xa9");
  EXPECT_EQ(escape_name("\xff\\xff\n"), "\\xff\\x5cxff\\x0a");
  EXPECT_EQ(escape_name(std::string(1000, 'n')), std::string(1000, 'n'));
  // All names of up to six of the characters that could be mistaken for each other.
  const std::string alphabet = "\\x5c\xff\n\xc3\xa9\xc2\x85";
  std::vector<std::string> names = {""};
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string escaped = escape_name(names[i]);
    ASSERT_TRUE(is_valid_utf8(escaped)) << escaped;
    ASSERT_EQ(unescape_name(escaped), names[i]) << escaped;
    if (names[i].size() == 6) continue;
    for (const char next : alphabet) names.push_back(names[i] + next);
  }
}

TEST(Printable, Utf8) {
  for (const char* valid : {"", "ascii", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf",
                            "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_valid_utf8(valid)) << printable(valid);
  }
  for (const char* invalid :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe1\x80", "\xe1\x80\x40", "\xff"}) {
    EXPECT_FALSE(is_valid_utf8(invalid)) << printable(invalid);
  }
}

}  // namespace
}  // namespace tessera
