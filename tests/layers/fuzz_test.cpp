// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <random>

#include "tests/layers/layer_test.h"

namespace tessera {
namespace {

constexpr int kNodesPerLayer = 5000;
constexpr size_t kLargestLowered = size_t{1} << 20;  // bytes of outputs

// A valid node of each operator that cannot be made by repeating (2, 2, 4, 4).
std::vector<TestNode> special_seeds() {
  const auto batch_norm = [] {
    return TestNode("BatchNormalization", 9)
        .input({2, 3, 4})
        .input({3})
        .input({3})
        .input({3})
        .input({3});
  };
  const auto pool = [](const char* op_type) {
    return TestNode(op_type, 19).input({2, 2, 5, 5}).attribute("kernel_shape", ints({2, 3}));
  };
  return {
      TestNode("Conv", 13).input({2, 4, 5, 5}).input({4, 2, 3, 3}).input({4}).attribute("group", 2),
      TestNode("Gemm", 13).input({2, 3}).input({3, 4}).input({4}),
      batch_norm(),
      pool("MaxPool"),
      pool("AveragePool"),
      TestNode("ReduceMean", 18).input({2, 2, 4, 4}).constant(int64_list({2, 3})),
      TestNode("Clip", 13).input({2, 3}).constant(float_scalar(0)).constant(float_scalar(6)),
      TestNode("Concat", 13).input({2, 3}).input({2, 4}).attribute("axis", 1),
      TestNode("Gather", 13).input({2, 3}).constant(int64_list({0, 1})),
      TestNode("Slice", 13)
          .constant(int64_list({1, 2, 3}))
          .constant(int64_list({0}))
          .constant(int64_list({2}))
          .constant(int64_list({0}))
          .constant(int64_list({1})),
      TestNode("Pad", 13).input({2, 2}).constant(int64_list({0, 0, 0, 0})),
      TestNode("Reshape", 14).input({2, 3, 4}).constant(int64_list({0, -1})),
      TestNode("Squeeze", 13).input({1, 3, 1}).constant(int64_list({0})),
      TestNode("Unsqueeze", 13).input({3, 4}).constant(int64_list({0, 3})),
      TestNode("Cast", 13).input({2, 3}).attribute("to", 7),
      TestNode("Constant", 13).attribute("value_ints", ints({1, 2})),
      TestNode("ConstantOfShape", 9).constant(int64_list({2, 3})),
  };
}

TestNode seed_of(const LayerDef& def) {
  for (const TestNode& node : special_seeds()) {
    if (node.op_type() == def.op_type) return node;
  }
  TestNode node(std::string(def.op_type), 13);
  node.input({2, 2, 4, 4});
  const bool binary = def.op_type == "MatMul" || def.op_type == "Add" || def.op_type == "Sub" ||
                      def.op_type == "Mul" || def.op_type == "Div";
  if (binary) node.input({2, 2, 4, 4});
  return node;
}

// Changes valid nodes into ones that a hostile or a careless author could write.
class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  TestNode mutated(TestNode node) {
    const int64_t changes = 1 + below(4);
    for (int64_t i = 0; i < changes; ++i) change(node);
    return node;
  }

 private:
  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random_);
  }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int64_t>(values.size()))];
  }

  int64_t number() {
    if (below(100) < 80) return pick<int64_t>({-3, -2, -1, 0, 1, 1, 2, 3, 4, 7});
    return pick<int64_t>({100, int64_t{1} << 20, int64_t{1} << 31, int64_t{1} << 40,
                          int64_t{1} << 62, std::numeric_limits<int64_t>::max(),
                          std::numeric_limits<int64_t>::min()});
  }
  std::vector<int64_t> numbers() {
    std::vector<int64_t> values(static_cast<size_t>(below(5)));
    for (int64_t& value : values) value = number();
    return values;
  }

  void change(TestNode& node) {
    switch (below(6)) {
      case 0:
        change_attribute(node);
        break;
      case 1:
        node.opset(pick<int>({6, 7, 9, 10, 11, 13, 14, 15, 18, 24, kNewestOpset}));
        break;
      case 2:
        node.outputs(static_cast<size_t>(below(7)));
        break;
      case 3:
        node.inputs().resize(static_cast<size_t>(below(7)));
        break;
      case 4:
        change_input(node);
        break;
      default:
        change_extent(node);
    }
  }

  // Makes one extent another number, or one element of a constant.
  void change_extent(TestNode& node) {
    if (node.inputs().empty()) return;
    auto& input =
        node.inputs()[static_cast<size_t>(below(static_cast<int64_t>(node.inputs().size())))];
    if (input.constant && input.constant->dtype() == DType::kI64) {
      std::vector<int64_t> values(input.constant->values<int64_t>().begin(),
                                  input.constant->values<int64_t>().end());
      if (!values.empty()) values[0] = number();
      input.constant = int64_list(std::move(values));
      input.desc = input.constant->desc();
    } else if (!input.constant && input.desc.shape.rank() > 0) {
      const auto rank = static_cast<int64_t>(input.desc.shape.rank());
      input.desc.shape[static_cast<size_t>(below(rank))] = number();
    }
  }

  void change_input(TestNode& node) {
    if (node.inputs().empty()) return;
    auto& input =
        node.inputs()[static_cast<size_t>(below(static_cast<int64_t>(node.inputs().size())))];
    input = {true, {}, std::nullopt};
    switch (below(4)) {
      case 0:
        input.present = false;
        break;
      case 1:
        input.constant = int64_list(numbers());
        input.desc = input.constant->desc();
        break;
      case 2:
        input.constant = float_scalar(static_cast<float>(below(3)));
        input.desc = input.constant->desc();
        break;
      default:
        input.desc.dtype = pick<DType>({DType::kF32, DType::kI64, DType::kF16, DType::kBool});
        input.desc.shape = Shape(numbers());
    }
  }

  void change_attribute(TestNode& node) {
    const std::string integer = pick<const char*>(
        {"axis", "group", "ceil_mode", "transA", "transB", "keepdims", "spatial", "is_test",
         "start", "end", "allowzero", "to", "training_mode", "value_int"});
    const std::string list = pick<const char*>({"axes", "pads", "strides", "dilations", "perm",
                                                "kernel_shape", "starts", "ends", "value_ints"});
    switch (below(5)) {
      case 0:
      case 1:
        node.attribute(integer, number());
        break;
      case 2:
        node.attribute(list, ints(numbers()));
        break;
      case 3:
        node.attribute(
            "auto_pad",
            std::string(pick<const char*>({"SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", "odd"})));
        break;
      default:
        node.attribute(below(2) == 0 ? integer : list, floats({0.5f}));
    }
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

// Infers the node and, when it is small, lowers it. Returns whether inference succeeded.
bool check_node(const TestNode& node) {
  const auto outputs = node.infer();
  if (!outputs.ok()) {
    EXPECT_NE(outputs.status().code(), StatusCode::kInternal) << outputs.status().message();
    EXPECT_FALSE(outputs.status().message().empty());
    return false;
  }
  size_t bytes = 0;
  for (const TensorDesc& output : *outputs) {
    EXPECT_TRUE(output.validate().ok()) << node.op_type() << ": " << output;
    if (!output.validate().ok()) return true;
    bytes = std::max(bytes, output.size_bytes());
  }
  if (bytes <= kLargestLowered) check_lowering(node, *outputs);
  return true;
}

TEST(LayerFuzz, ChangedNodesNeverCrashAndSuccessMeansValidShapes) {
  Mutator mutator(20240229);
  for (const LayerDef* def : layer_defs()) {
    const TestNode seed = seed_of(*def);
    ASSERT_TRUE(check_node(seed)) << def->op_type << ": " << seed.infer().status().message();
    int successes = 0;
    for (int i = 0; i < kNodesPerLayer; ++i) {
      if (check_node(mutator.mutated(seed))) ++successes;
    }
    // Both outcomes occur, or the test would not test much.
    EXPECT_GT(successes, kNodesPerLayer / 100) << def->op_type;
    EXPECT_LT(successes, kNodesPerLayer) << def->op_type;
  }
}

}  // namespace
}  // namespace tessera
