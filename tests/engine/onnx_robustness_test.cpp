// SPDX-License-Identifier: Apache-2.0
// Damaged files: the loader may accept or refuse them, but it returns.
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/onnx/load.h"
#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

// Between them these use every kind of field that the loader reads.
std::vector<std::string> small_models() {
  OnnxBuilder network;
  network.input("x", DType::kF32, {"batch", 1, 4, 4})
      .initializer("w", Tensor::from_values<float>({1, 1, 2, 2}, {1, 2, 3, 4}))
      .typed_initializer("shape", Tensor::from_values<int64_t>({2}, {0, -1}))
      .node("Conv", {"x", "w"}, {"c"}, {{"pads", std::vector<int64_t>{0, 0, 1, 1}}}, "conv")
      .node("Relu", {"c"}, {"r"})
      .node("Reshape", {"r", "shape"}, {"y"})
      .output("y", DType::kF32, {"batch", 16})
      .metadata("classes", "a,b");

  OnnxBuilder tensors(8, 3);
  tensors.typed_initializer("f", Tensor::from_values<float>({2}, {1, 2}))
      .typed_initializer("d", Tensor::from_values<double>({1}, {1}))
      .typed_initializer("i", Tensor::from_values<int8_t>({3}, {1, -2, 3}))
      .typed_initializer("u", Tensor::from_values<uint64_t>({1}, {7}))
      .initializer("b", Tensor::from_values<bool>({2}, {true, false}))
      .external_initializer("e", {DType::kF32, {2}}, "w.bin", 3, 8)
      .input("f", DType::kF32, {2});
  for (const char* name : {"f", "d", "i", "u", "b", "e"}) tensors.output(name);

  OnnxBuilder attributes;
  attributes.import_opset("com.example", 1)
      .node("Constant", {}, {"c"}, {{"value", Tensor::from_values<float>({2}, {1, 2})}})
      .node("Add", {"c", "c"}, {"a"},
            {{"text", "x"}, {"real", 0.5f}, {"texts", std::vector<std::string>{"a", "b"}}})
      .node("Other", {"a", ""}, {"", "b"}, {{"reals", std::vector<float>{1, 2}}}, "", "com.example")
      .output("a");
  return {network.bytes(), tensors.bytes(), attributes.bytes()};
}

// Loads `bytes` and looks at every byte of the tensors that come out.
void load_and_touch(const std::string& bytes, const std::string& folder) {
  const Result<Graph> graph =
      load_onnx_from_memory(std::as_bytes(std::span(bytes)), "damaged.onnx", folder);
  if (!graph.ok()) {
    ASSERT_EQ(graph.status().message().rfind("damaged.onnx: ", 0), 0u);
    ASSERT_NE(graph.status().code(), StatusCode::kInternal) << graph.status().message();
    return;
  }
  for (const Value& value : graph->values) {
    if (!value.constant) continue;
    for (int64_t i = 0; i < value.constant->num_elements(); ++i) {
      element_as_double(*value.constant, i);
    }
  }
  for (const Node& node : graph->nodes) {
    for (const ValueId id : node.inputs) ASSERT_LT(id, static_cast<ValueId>(graph->values.size()));
    ASSERT_NE(node.layer, nullptr);
  }
}

class OnnxRobustness : public ::testing::TestWithParam<size_t> {
 protected:
  OnnxRobustness() { write_file(folder.path("w.bin"), std::string(16, '\1')); }

  TemporaryFolder folder;
  std::string model = small_models()[GetParam()];
};

TEST_P(OnnxRobustness, TruncatedAtEveryLength) {
  for (size_t length = 0; length < model.size(); ++length) {
    load_and_touch(model.substr(0, length), folder.path());
  }
}

TEST_P(OnnxRobustness, EveryByteReplaced) {
  for (size_t position = 0; position < model.size(); ++position) {
    for (const int replacement : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string damaged = model;
      damaged[position] = static_cast<char>(replacement);
      load_and_touch(damaged, folder.path());
    }
  }
}

TEST_P(OnnxRobustness, FlippedBits) {
  std::mt19937 random(20240917);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string damaged = model;
    const int flips = 1 + static_cast<int>(random() % 4);
    for (int flip = 0; flip < flips; ++flip) {
      const size_t bit = random() % (8 * damaged.size());
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    }
    load_and_touch(damaged, folder.path());
  }
}

TEST_P(OnnxRobustness, PiecesRepeatedOrDropped) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    const size_t from = random() % model.size();
    const size_t length = 1 + random() % 40;
    std::string damaged = model;
    if (trial % 2 == 0) {
      damaged.erase(from, length);
    } else {
      damaged.insert(random() % model.size(), model.substr(from, length));
    }
    load_and_touch(damaged, folder.path());
  }
}

INSTANTIATE_TEST_SUITE_P(SmallModels, OnnxRobustness, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace tessera
