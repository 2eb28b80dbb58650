// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/step_check.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/select.h"
#include "tests/engine/test_models.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> failing(const std::vector<StepCheck>& checks) {
  std::vector<std::string> names;
  for (const StepCheck& check : checks) {
    if (!check.ok()) names.push_back(check.name);
  }
  return names;
}

class StepCheckOn : public ::testing::TestWithParam<std::string> {};

TEST_P(StepCheckOn, EveryGroupOfAGoodBackendPasses) {
  const auto device = open_device(GetParam());
  if (!device.ok()) GTEST_SKIP() << device.status().message();
  OnnxBuilder builder;
  add_residual_network(builder);
  const std::vector<Tensor> x = {random_tensor({3, 3, 9, 7}, 1)};
  const auto checks = check_steps(build_model(builder), *device, x);
  ASSERT_TRUE(checks.ok()) << checks.status().message();
  EXPECT_GE(checks->size(), 5u);
  EXPECT_THAT(failing(*checks), ElementsAre());
}

INSTANTIATE_TEST_SUITE_P(Backends, StepCheckOn, ::testing::Values("reference", "cpu", "cuda"),
                         [](const auto& param_info) { return param_info.param; });

// A kernel that forgets one element of its result, and one that makes it NaN.
template <uint32_t Bits>
class WrongSoftmax final : public Kernel {
 public:
  explicit WrongSoftmax(std::unique_ptr<Kernel> right, const SoftmaxProblem& problem)
      : right_(std::move(right)), last_(problem.outer * problem.axis * problem.inner - 1) {}
  Status launch(const Operands& operands, Stream& stream) override {
    TESSERA_RETURN_IF_ERROR(right_->launch(operands, stream));
    const uint32_t bits = Bits;
    std::memcpy(static_cast<float*>(operands.output) + last_, &bits, sizeof(bits));
    return {};
  }

 private:
  std::unique_ptr<Kernel> right_;
  int64_t last_;
};

template <uint32_t Bits>
Result<std::unique_ptr<Kernel>> create_wrong(const Problem& problem, Device& device) {
  const Backend& reference = *find_backend("reference");
  TESSERA_ASSIGN_OR_RETURN(const KernelEntry* right, select(problem, reference, device.info()));
  TESSERA_ASSIGN_OR_RETURN(auto kernel, right->create(problem, device));
  return std::unique_ptr<Kernel>(
      std::make_unique<WrongSoftmax<Bits>>(std::move(kernel), std::get<SoftmaxProblem>(problem)));
}

// The reference backend with its softmax replaced.
template <uint32_t Bits>
std::span<const KernelEntry* const> kernels_with_wrong_softmax() {
  static const KernelEntry wrong = {
      "wrong_softmax", "softmax", "",
      [](const Problem&, const DeviceInfo&) { return Support::yes(); }, create_wrong<Bits>};
  static const std::vector<const KernelEntry*> kernels = [] {
    std::vector<const KernelEntry*> all = {&wrong};
    for (const KernelEntry* entry : find_backend("reference")->kernels()) all.push_back(entry);
    return all;
  }();
  return kernels;
}

template <uint32_t Bits>
std::vector<StepCheck> check_with_wrong_softmax() {
  static Backend backend = *find_backend("reference");
  backend.kernels = kernels_with_wrong_softmax<Bits>;
  OpenDevice device = *open_device("reference");
  device.backend = &backend;
  OnnxBuilder builder;
  add_residual_network(builder);
  const std::vector<Tensor> x = {random_tensor({2, 3, 9, 7}, 1)};
  auto checks = check_steps(build_model(builder), device, x);
  EXPECT_TRUE(checks.ok()) << checks.status().message();
  return checks.ok() ? *checks : std::vector<StepCheck>();
}

TEST(StepCheck, AWrongElementIsFoundAndNamed) {
  constexpr uint32_t kTwo = 0x40000000;
  const auto checks = check_with_wrong_softmax<kTwo>();
  EXPECT_THAT(failing(checks), ElementsAre("softmax"));
  EXPECT_EQ(checks.back().kernel, "wrong_softmax");
  EXPECT_THAT(checks.back().worst_element, HasSubstr("(1, 4, 0): got 2"));
}

TEST(StepCheck, NanNeverPasses) {
  constexpr uint32_t kNan = 0x7fc00000;
  EXPECT_THAT(failing(check_with_wrong_softmax<kNan>()), ElementsAre("softmax"));
}

}  // namespace
}  // namespace tessera
