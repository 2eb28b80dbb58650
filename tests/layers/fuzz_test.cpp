// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

constexpr int kNodesPerLayer = 4000;
constexpr size_t kLargestLowered = size_t{1} << 20;  // bytes of outputs

// Nodes that a hostile or a careless author could write: plausible often enough to get past the
// first check, absurd often enough to reach the last one.
class NodeMaker {
 public:
  explicit NodeMaker(uint32_t seed) : random_(seed) {}

  TestNode make(const LayerDef& def) {
    TestNode node(std::string(def.op_type), pick<int>({6, 7, 9, 10, 11, 13, 14, 15, 18, 24, 28}));
    node.outputs(chance(10) ? static_cast<size_t>(below(6)) : 1);
    const size_t rank = chance(60) ? 3 + below(2) : below(7);
    const int64_t inputs = chance(80) ? 1 + below(3) : below(7);
    for (int64_t i = 0; i < inputs; ++i) add_input(node, rank);
    const int64_t attributes = below(4);
    for (int64_t i = 0; i < attributes; ++i) add_attribute(node);
    add_required(def, node);
    return node;
  }

 private:
  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random_);
  }
  bool chance(int64_t percent) { return below(100) < percent; }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int64_t>(values.size()))];
  }

  int64_t extent() {
    if (chance(90)) return pick<int64_t>({1, 2, 2, 2, 3, 4});
    return pick<int64_t>({0, 7, -1, 1 << 20, int64_t{1} << 31, int64_t{1} << 40,
                          std::numeric_limits<int64_t>::max()});
  }
  int64_t number() {
    if (chance(85)) return pick<int64_t>({0, 1, 1, 2, -1, 3});
    return pick<int64_t>({-2, 5, 100, int64_t{1} << 31, int64_t{1} << 62,
                          std::numeric_limits<int64_t>::max(),
                          std::numeric_limits<int64_t>::min()});
  }
  std::vector<int64_t> numbers() {
    std::vector<int64_t> values(static_cast<size_t>(below(5)));
    for (int64_t& value : values) value = number();
    return values;
  }

  void add_input(TestNode& node, size_t rank) {
    if (chance(3)) {
      node.missing();
    } else if (chance(30)) {
      node.constant(int64_list(numbers()));
    } else if (chance(10)) {
      node.constant(float_scalar(static_cast<float>(below(3))));
    } else {
      std::vector<int64_t> extents(chance(70) ? rank : static_cast<size_t>(below(5)));
      for (int64_t& value : extents) value = extent();
      const DType dtype =
          chance(85) ? DType::kF32 : pick<DType>({DType::kI64, DType::kF16, DType::kBool});
      node.input(Shape(std::move(extents)), dtype);
    }
  }

  AttributeValue value() {
    switch (below(5)) {
      case 0:
        return number();
      case 1:
        return 0.5f;
      case 2:
        return std::string(pick<const char*>({"SAME_UPPER", "SAME_LOWER", "VALID", ""}));
      case 3:
        return floats({0.5f});
      default:
        return numbers();
    }
  }

  void add_attribute(TestNode& node) {
    const std::string name = pick<const char*>(
        {"axis",     "axes",     "pads",      "strides",   "dilations", "kernel_shape",
         "group",    "auto_pad", "ceil_mode", "perm",      "transA",    "transB",
         "keepdims", "alpha",    "epsilon",   "spatial",   "is_test",   "starts",
         "ends",     "start",    "end",       "allowzero", "to",        "value_ints"});
    const bool list = name == "axes" || name == "pads" || name == "strides" ||
                      name == "dilations" || name == "kernel_shape" || name == "perm" ||
                      name == "starts" || name == "ends" || name == "value_ints";
    if (chance(10)) {
      node.attribute(name, value());
    } else if (list) {
      node.attribute(name, numbers());
    } else if (name == "alpha" || name == "epsilon") {
      node.attribute(name, 0.5f);
    } else if (name != "auto_pad") {
      node.attribute(name, number());
    } else {
      node.attribute(name, std::string(pick<const char*>({"SAME_UPPER", "SAME_LOWER", "VALID"})));
    }
  }

  // What the operator cannot do without, so that not every node stops there.
  void add_required(const LayerDef& def, TestNode& node) {
    if (chance(20)) return;
    if (def.op_type == "MaxPool" || def.op_type == "AveragePool") {
      node.attribute("kernel_shape", chance(50) ? ints({2}) : ints({1, number()}));
    }
    if (def.op_type == "Concat") node.attribute("axis", number());
    if (def.op_type == "Cast") node.attribute("to", below(30));
    if (def.op_type == "Constant" && chance(50)) node.attribute("value_int", number());
    if (def.op_type == "Unsqueeze" && chance(50)) node.attribute("axes", numbers());
  }

  std::mt19937 random_;
};

// What each output of a lowering must agree with.
void check_lowering(const TestNode& node, const std::vector<TensorDesc>& outputs) {
  const Result<Lowering> lowering = node.lower();
  if (!lowering.ok()) {
    EXPECT_NE(lowering.status().code(), StatusCode::kInternal) << lowering.status().message();
    EXPECT_FALSE(lowering.status().message().empty());
    return;
  }
  ASSERT_EQ(lowering->outputs.size(), outputs.size()) << node.op_type();
  int computed = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& source = lowering->outputs[i];
    if (std::holds_alternative<Lowering::Computed>(source)) ++computed;
    if (const auto* constant = std::get_if<Lowering::Constant>(&source)) {
      EXPECT_EQ(constant->value.desc(), outputs[i]) << node.op_type();
    }
  }
  EXPECT_EQ(computed, lowering->problem.has_value() ? 1 : 0) << node.op_type();
}

TEST(LayerFuzz, RandomNodesNeverCrashAndSuccessMeansValidShapes) {
  NodeMaker maker(20240229);
  std::map<std::string_view, int> successes;
  for (const LayerDef* def : layer_defs()) {
    for (int i = 0; i < kNodesPerLayer; ++i) {
      const TestNode node = maker.make(*def);
      const auto outputs = node.infer();
      if (!outputs.ok()) {
        EXPECT_NE(outputs.status().code(), StatusCode::kInternal) << outputs.status().message();
        EXPECT_FALSE(outputs.status().message().empty());
        continue;
      }
      ++successes[def->op_type];
      size_t bytes = 0;
      for (const TensorDesc& output : *outputs) {
        ASSERT_TRUE(output.validate().ok()) << def->op_type << ": " << output;
        bytes = std::max(bytes, output.size_bytes());
      }
      if (bytes <= kLargestLowered) check_lowering(node, *outputs);
    }
    EXPECT_GE(successes[def->op_type], 10) << def->op_type << " never got past its checks";
  }
}

}  // namespace
}  // namespace tessera
