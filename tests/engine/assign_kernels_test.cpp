// SPDX-License-Identifier: Apache-2.0
#include "engine/program/assign_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/program/kernel_choice.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Support accept(const Problem&, const DeviceInfo&) { return Support::yes(); }
Support accept_row_major_pool(const Problem& problem, const DeviceInfo&) {
  const bool plain = std::get<PoolProblem>(problem).layout == Layout::kRowMajor;
  return plain ? Support::yes() : Support::no("only row-major");
}
LayoutPreference prefer_blocked(const Problem&, const DeviceInfo&) {
  return {Layout::kNChw8c, Layout::kNChw8c};
}
Result<std::unique_ptr<Kernel>> never_created(const Problem&, Device&) {
  return unsupported("a fake kernel");
}

constexpr KernelEntry kConv = {"fake_conv", "conv", "", accept, never_created, prefer_blocked};
constexpr KernelEntry kPool = {"fake_pool", "pool", "", accept, never_created};
constexpr KernelEntry kPlainPool = {"plain_pool", "pool", "", accept_row_major_pool, never_created};
constexpr KernelEntry kUnary = {"fake_unary", "unary", "", accept, never_created};
constexpr KernelEntry kBinary = {"fake_binary", "binary", "", accept, never_created};
constexpr KernelEntry kGemm = {"fake_gemm", "gemm", "", accept, never_created};
constexpr KernelEntry kReorder = {"fake_reorder", "reorder", "", accept, never_created};

std::span<const KernelEntry* const> blocked_kernels() {
  static constexpr const KernelEntry* kKernels[] = {&kConv,   &kPool, &kPlainPool, &kUnary,
                                                    &kBinary, &kGemm, &kReorder};
  return kKernels;
}

const Backend& fake_backend() {
  static const Backend backend = {"fake", blocked_kernels, nullptr, nullptr, nullptr};
  return backend;
}

const DeviceInfo kDevice;

KernelChooser chooser(ChoiceOptions options = {}) {
  return KernelChooser(fake_backend(), kDevice, std::move(options));
}

// Builds programs step by step; every value is float32.
class ProgramBuilder {
 public:
  ValueId value(Shape shape) {
    ProgramValue added;
    added.name = "v" + std::to_string(program.values.size());
    added.desc = {DType::kF32, std::move(shape)};
    return program.add_value(added);
  }
  ValueId input(Shape shape) {
    program.inputs.push_back(value(std::move(shape)));
    return program.inputs.back();
  }
  ValueId step(const std::string& name, Problem problem, std::vector<ValueId> inputs,
               Shape result) {
    Step added;
    added.node_names = {name};
    added.op_types = {name};
    added.problem = std::move(problem);
    added.inputs = std::move(inputs);
    added.output = value(std::move(result));
    program.steps.push_back(added);
    return added.output;
  }
  ValueId conv(const std::string& name, ValueId src, int64_t channels) {
    ConvProblem problem;
    problem.K = channels;
    const Shape& shape = program.values[src].desc.shape;
    return step(name, problem, {src, kNoValue, kNoValue, kNoValue},
                {shape[0], channels, shape[2], shape[3]});
  }
  ValueId relu(ValueId src) {
    UnaryProblem problem;
    problem.count = program.values[src].desc.num_elements();
    problem.activation.kind = ActivationKind::kRelu;
    return step("relu", problem, {src}, program.values[src].desc.shape);
  }
  ValueId flatten(ValueId src) {
    const Shape& shape = program.values[src].desc.shape;
    const ValueId alias = value({shape[0], shape.num_elements(1, shape.rank())});
    program.values[alias].alias_of = program.root(src);
    return alias;
  }

  Program program;
};

std::vector<std::string> assign(Program& program, ChoiceOptions options = {}) {
  const auto entries = assign_kernels(program, chooser(std::move(options)));
  EXPECT_TRUE(entries.ok()) << entries.status().message();
  if (!entries.ok()) return {};
  EXPECT_EQ(entries->size(), program.steps.size());
  std::vector<std::string> names;
  for (const Step& step : program.steps) names.push_back(step.name());
  return names;
}

TEST(AssignKernels, BlockedLayoutIsKeptFromConvToConv) {
  ProgramBuilder b;
  const ValueId first = b.conv("conv1", b.input({2, 3, 4, 4}), 12);
  const ValueId active = b.relu(first);
  b.program.outputs = {b.conv("conv2", active, 8)};
  EXPECT_THAT(assign(b.program),
              ElementsAre("reorder(v0)", "conv1", "relu", "conv2", "reorder(v3)"));
  // 12 channels take two blocks of 8: the element-wise step runs over the padding too.
  EXPECT_EQ(std::get<UnaryProblem>(b.program.steps[2].problem).count, 2 * 16 * 4 * 4);
  EXPECT_EQ(b.program.values[b.program.outputs[0]].desc.layout, Layout::kRowMajor);
}

TEST(AssignKernels, ReorderIsMadeOnceAndShared) {
  ProgramBuilder b;
  const ValueId x = b.input({2, 8, 4, 4});
  const ValueId left = b.conv("left", x, 8);
  const ValueId right = b.conv("right", x, 8);
  b.program.outputs = {left, right};
  EXPECT_THAT(assign(b.program),
              ElementsAre("reorder(v0)", "left", "right", "reorder(v1)", "reorder(v2)"));
}

TEST(AssignKernels, AliasOfABlockedValueReadsARowMajorCopy) {
  ProgramBuilder b;
  const ValueId result = b.conv("conv", b.input({2, 8, 3, 3}), 8);
  const ValueId flat = b.flatten(result);
  b.program.outputs = {b.step("gemm", GemmProblem(), {flat, kNoValue, kNoValue, kNoValue}, {2, 5})};
  EXPECT_THAT(assign(b.program), ElementsAre("reorder(v0)", "conv", "reorder(v1)", "gemm"));
  const ValueId root = b.program.root(flat);
  EXPECT_NE(root, result);
  EXPECT_EQ(b.program.values[root].desc.layout, Layout::kRowMajor);
  EXPECT_EQ(b.program.steps[2].output, root);
}

// One cell per channel and no padding: blocked and row-major memory are the same.
TEST(AssignKernels, NothingIsMovedWhereLayoutsCoincide) {
  ProgramBuilder b;
  const ValueId result = b.conv("conv", b.input({2, 16, 1, 1}), 8);
  const ValueId flat = b.flatten(result);
  b.program.outputs = {b.step("gemm", GemmProblem(), {flat, kNoValue, kNoValue, kNoValue}, {2, 5})};
  EXPECT_THAT(assign(b.program), ElementsAre("conv", "gemm"));
}

TEST(AssignKernels, SigmoidLeavesAPaddedLayoutBecauseItsPaddingMustStayZero) {
  ProgramBuilder b;
  const ValueId result = b.conv("conv", b.input({2, 8, 3, 3}), 12);
  UnaryProblem sigmoid;
  sigmoid.count = 2 * 12 * 9;
  sigmoid.activation.kind = ActivationKind::kSigmoid;
  b.program.outputs = {b.step("sigmoid", sigmoid, {result}, {2, 12, 3, 3})};
  EXPECT_THAT(assign(b.program), ElementsAre("reorder(v0)", "conv", "reorder(v1)", "sigmoid"));
  EXPECT_EQ(std::get<UnaryProblem>(b.program.steps[3].problem).count, 2 * 12 * 9);
}

TEST(AssignKernels, AKernelThatNeedsRowMajorGetsIt) {
  ProgramBuilder b;
  const ValueId result = b.conv("conv", b.input({2, 8, 4, 4}), 8);
  b.program.outputs = {b.step("pool", PoolProblem(), {result}, {2, 8, 2, 2})};
  EXPECT_THAT(assign(b.program, {.layer_backends = {{"pool", "plain_pool"}}}),
              ElementsAre("reorder(v0)", "conv", "reorder(v1)", "pool"));
}

TEST(AssignKernels, EveryLayerWithoutAKernelIsListed) {
  ProgramBuilder b;
  const ValueId x = b.input({2, 8});
  const ValueId first = b.step("first", SoftmaxProblem(), {x}, {2, 8});
  b.program.outputs = {b.step("second", TransposeProblem(), {first}, {8, 2})};
  const auto entries = assign_kernels(b.program, chooser());
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(entries.status().message(), HasSubstr("layer first"));
  EXPECT_THAT(entries.status().message(), HasSubstr("layer second"));
}

}  // namespace
}  // namespace tessera
