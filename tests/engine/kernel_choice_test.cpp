// SPDX-License-Identifier: Apache-2.0
// Which kernel a step gets, with kernels that do not exist.
#include "engine/program/kernel_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/program/layer_pattern.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

Support accept(const Problem&, const DeviceInfo&) { return Support::yes(); }
Support refuse(const Problem&, const DeviceInfo&) { return Support::no("is tired"); }
Result<std::unique_ptr<Kernel>> never_created(const Problem&, Device&) {
  return unsupported("a fake kernel");
}

constexpr KernelEntry kEntries[] = {
    {"own_conv", "conv", "", accept, never_created},
    {"library_conv_tired", "conv", "", refuse, never_created},
    {"library_conv", "conv", "", accept, never_created},
    {"library_pool", "pool", "", refuse, never_created},
    {"own_pool", "pool", "", accept, never_created},
    {"unary", "unary", "", accept, never_created},
    {"unary_vector", "unary", "", accept, never_created},
};

std::span<const KernelEntry* const> fake_kernels() {
  static const auto list = [] {
    std::vector<const KernelEntry*> pointers;
    for (const KernelEntry& entry : kEntries) pointers.push_back(&entry);
    return pointers;
  }();
  return list;
}

const Backend kFake = {"fake", fake_kernels, nullptr, nullptr,
                       [] { return std::vector<std::string>{"fakelib 1.0"}; }};
const DeviceInfo kDevice;

KernelChooser chooser(ChoiceOptions options) {
  return KernelChooser(kFake, kDevice, std::move(options));
}

Step step(Problem problem, std::vector<std::string> names, std::vector<std::string> op_types) {
  Step made;
  made.problem = std::move(problem);
  made.node_names = std::move(names);
  made.op_types = std::move(op_types);
  return made;
}

const Step kConv = step(ConvProblem(), {"conv1", "bn1", "relu1"}, {"Conv", "", "Relu"});
const Step kPool = step(PoolProblem(), {"pool1"}, {"MaxPool"});
const Step kRelu = step(UnaryProblem(), {"relu2"}, {"Relu"});

// "kernel: reason", or what went wrong.
std::string choice(const Step& of, ChoiceOptions options) {
  const auto chosen = chooser(std::move(options)).choose(of);
  if (!chosen.ok()) return chosen.status().message();
  return std::string(chosen->entry->name) + ": " + chosen->reason;
}

std::string choice_by_rules(const Step& of,
                            std::vector<std::pair<std::string, std::string>> rules) {
  return choice(of, {.layer_backends = std::move(rules)});
}

TEST(MatchesPattern, StarStandsForAnythingAndQuestionMarkForOneCharacter) {
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("conv*", "conv1"));
  EXPECT_TRUE(matches_pattern("*/conv*/x", "a/conv2/b/conv3/x"));
  EXPECT_TRUE(matches_pattern("a*b*c", "aXbbYc"));
  EXPECT_TRUE(matches_pattern("conv?", "conv1"));
  EXPECT_TRUE(matches_pattern("*?b", "aab"));
  EXPECT_FALSE(matches_pattern("conv?", "conv"));
  EXPECT_FALSE(matches_pattern("conv?", "conv12"));
  EXPECT_FALSE(matches_pattern("conv", "conv1"));
  EXPECT_FALSE(matches_pattern("conv", "Conv"));
  EXPECT_FALSE(matches_pattern("conv*x", "conv1"));
  EXPECT_FALSE(matches_pattern("", "a"));
}

TEST(KernelChooser, WithoutWishesTheFirstThatSupports) {
  EXPECT_EQ(choice(kConv, {}), "own_conv: first in order that supports it");
  EXPECT_EQ(choice(kPool, {}), "own_pool: first in order that supports it");
}

TEST(KernelChooser, ABackendIsForcedWhereItsFamilyHasIt) {
  EXPECT_EQ(choice(kConv, {.backend = "library"}), "library_conv: forced by --backend library");
  EXPECT_EQ(choice(kRelu, {.backend = "library"}), "unary: first in order that supports it");
  // It has a pool kernel, so that one is an order, and it cannot be followed.
  EXPECT_THAT(choice(kPool, {.backend = "library"}), HasSubstr("library_pool cannot run"));
  EXPECT_THAT(choice(kPool, {.backend = "library"}), HasSubstr("is tired"));
}

TEST(KernelChooser, AWholeNameComesBeforeABeginning) {
  EXPECT_EQ(choice(kRelu, {.backend = "unary"}), "unary: forced by --backend unary");
  EXPECT_EQ(choice(kRelu, {.backend = "unary_vector"}),
            "unary_vector: forced by --backend unary_vector");
  // A beginning ends at an underscore.
  EXPECT_FALSE(chooser({.backend = "libra"}).check_names().ok());
}

TEST(KernelChooser, RulesMatchAnyNodeOfAGroupByNameOrOperator) {
  for (const char* pattern : {"conv1", "bn1", "relu1", "Conv", "Relu", "co*", "?n1"}) {
    EXPECT_THAT(choice_by_rules(kConv, {{pattern, "library"}}), HasSubstr("library_conv: forced"))
        << pattern;
  }
  EXPECT_THAT(choice_by_rules(kConv, {{"conv", "library"}}), HasSubstr("own_conv: first"));
}

TEST(KernelChooser, TheFirstRuleThatMatchesCountsAndComesBeforeTheBackend) {
  EXPECT_EQ(choice_by_rules(kConv, {{"conv*", "library_conv"}, {"*", "own"}}),
            "library_conv: forced by --layer-backends 'conv*:library_conv'");
  EXPECT_EQ(choice_by_rules(kConv, {{"conv1", "auto"}, {"*", "library"}}),
            "own_conv: first in order that supports it");
  EXPECT_EQ(choice(kConv, {.backend = "library", .layer_backends = {{"conv1", "auto"}}}),
            "own_conv: first in order that supports it");
  EXPECT_EQ(choice(kConv, {.backend = "library", .layer_backends = {{"conv1", "own_conv"}}}),
            "own_conv: forced by --layer-backends 'conv1:own_conv'");
}

TEST(KernelChooser, WildcardsSkipOtherFamiliesAndPlainNamesAreOrders) {
  EXPECT_THAT(choice_by_rules(kPool, {{"*", "unary"}, {"pool1", "own_pool"}}),
              HasSubstr("own_pool: forced by --layer-backends 'pool1:own_pool'"));
  EXPECT_THAT(choice_by_rules(kPool, {{"pool1", "unary"}}),
              HasSubstr("has no pool kernel named 'unary'"));
}

// A group that cannot do what was ordered for one of its nodes has no kernel, so that fusion leaves
// the nodes apart.
TEST(KernelChooser, AnOrderForOneNodeOfAGroupIsNotLost) {
  EXPECT_THAT(choice_by_rules(kConv, {{"conv1", "own_conv"}, {"relu1", "unary"}}),
              HasSubstr("has no conv kernel named 'unary'"));
}

TEST(KernelChooser, UnknownNamesAndPatternsWithoutEffectAreUsageErrors) {
  Program program;
  program.steps = {kConv, kPool};
  const Status name = chooser({.layer_backends = {{"*", "own_cnov"}}}).check_names();
  EXPECT_EQ(name.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(name.message(), HasSubstr("did you mean own_conv?"));
  const Status pattern = chooser({.layer_backends = {{"fc*", "own"}}}).check_patterns(program);
  EXPECT_EQ(pattern.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(pattern.message(), HasSubstr("'fc*'; the layers are: conv1 bn1 relu1 pool1"));
  const Status idle = chooser({.layer_backends = {{"pool*", "unary"}}}).check_patterns(program);
  EXPECT_EQ(idle.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(idle.message(), HasSubstr("not of the kind that unary computes"));
  EXPECT_TRUE(chooser({.layer_backends = {{"*", "auto"}}}).check_patterns(program).ok());
}

TEST(KernelChooser, AKernelOfAnotherBackendNamesItsDevice) {
  const Status status = chooser({.backend = "reference_conv"}).check_names();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("reference has: use --device reference"));
}

std::shared_ptr<const Plan> plan_of(std::vector<PlanEntry> layers) {
  Plan plan;
  plan.path = "p.json";
  plan.device = make_device_key(kFake, kDevice);
  plan.batch = 4;
  plan.precision = "float32";
  plan.layers = std::move(layers);
  return std::make_shared<const Plan>(std::move(plan));
}

const std::string kConvKey = choice_key(kConv.problem);

TEST(KernelChooser, APlanComesAfterForcedNamesAndBeforeTheOrder) {
  ChoiceEvidence evidence;
  evidence.microseconds = 12.34;
  evidence.runner_up = "own_conv";
  evidence.runner_up_microseconds = 15.0;
  const auto plan = plan_of({{"conv1+bn1+relu1", kConvKey, "library_conv", evidence}});
  EXPECT_EQ(choice(kConv, {.plan = plan}),
            "library_conv: from plan p.json (12.3 us, runner-up own_conv 15.0 us)");
  EXPECT_EQ(choice(kConv, {.backend = "own", .plan = plan}), "own_conv: forced by --backend own");
  EXPECT_EQ(choice(kPool, {.plan = plan}), "own_pool: first in order that supports it");
}

// A convolution's layouts follow from its kernel, so they do not make it another problem.
TEST(KernelChooser, APlanHoldsForAConvolutionInAnyLayout) {
  Step nhwc = kConv;
  std::get<ConvProblem>(nhwc.problem).src_layout = Layout::kNHWC;
  const auto plan = plan_of({{"conv1+bn1+relu1", kConvKey, "library_conv", {}}});
  EXPECT_EQ(choice(nhwc, {.plan = plan}), "library_conv: from plan p.json");
}

TEST(KernelChooser, StaleEntriesAreIgnoredAndNamed) {
  Program program;
  program.steps = {kConv, kPool, kRelu};
  const std::string pool_key = choice_key(kPool.problem);
  const std::string relu_key = choice_key(kRelu.problem);
  const auto plan = plan_of({{"conv1+bn1+relu1", "conv of old", "library_conv", {}},
                             {"pool1", pool_key, "library_pool", {}},
                             {"relu2", relu_key, "unary_gone", {}},
                             {"relu9", relu_key, "unary", {}},
                             {"relu2", relu_key, "unary", {}}});
  const KernelChooser with_plan = chooser({.plan = plan});
  EXPECT_EQ(choice(kConv, {.plan = plan}), "own_conv: first in order that supports it");
  EXPECT_EQ(choice(kPool, {.plan = plan}), "own_pool: first in order that supports it");
  const std::vector<std::string> stale = with_plan.stale_entries(program);
  ASSERT_EQ(stale.size(), 4u);
  EXPECT_THAT(stale[0], HasSubstr("conv1+bn1+relu1 on library_conv: the layer's problem is now"));
  EXPECT_THAT(stale[1], HasSubstr("is tired"));
  EXPECT_THAT(stale[2], HasSubstr("no such kernel"));
  EXPECT_THAT(stale[3], HasSubstr("no such layer"));
  for (const std::string& sentence : stale) EXPECT_THAT(sentence, HasSubstr("infer tune MODEL"));
  const auto foreign = plan_of({{"a", "b", "c", {}}, {"d", "e", "f", {}}});
  EXPECT_EQ(chooser({.plan = foreign}).stale_entries(program).size(), 1u);
}

TEST(KernelChooser, APlanForSomethingElseIsPutAside) {
  const auto plan = plan_of({{"conv1+bn1+relu1", kConvKey, "library_conv", {}}});
  KernelChooser same = chooser({.plan = plan});
  EXPECT_EQ(same.put_stale_plan_aside(4, "float32"), "");
  EXPECT_EQ(same.choose(kConv)->entry->name, "library_conv");
  KernelChooser other = chooser({.plan = plan});
  EXPECT_THAT(other.put_stale_plan_aside(8, "float32"), HasSubstr("for batch 4"));
  EXPECT_EQ(other.choose(kConv)->entry->name, "own_conv");
  EXPECT_THAT(chooser({.plan = plan}).put_stale_plan_aside(4, "float16"), HasSubstr("precision"));
  DeviceInfo newer;
  newer.driver_version = "99.0";
  EXPECT_THAT(KernelChooser(kFake, newer, {.plan = plan}).put_stale_plan_aside(4, "float32"),
              HasSubstr("is for driver none, here it is '99.0'"));
}

std::shared_ptr<const TimingCache> timings_of(
    const std::vector<std::pair<std::string, KernelMeasurement>>& measured) {
  auto cache = std::make_shared<TimingCache>();
  for (const auto& [kernel, measurement] : measured) {
    EXPECT_TRUE(cache->add(make_device_key(kFake, kDevice), kConvKey, kernel, measurement).ok());
  }
  return cache;
}

TEST(KernelChooser, TheFastestCorrectKernelOfTheTimingCacheIsTaken) {
  EXPECT_EQ(
      choice(kConv,
             {.timings = timings_of({{"own_conv", {5.0, 0.1}}, {"library_conv", {2.0, 0.5}}})}),
      "library_conv: timing cache (2.0 us, runner-up own_conv 5.0 us)");
  EXPECT_EQ(
      choice(kConv,
             {.timings = timings_of({{"own_conv", {1.0, 0.1}}, {"library_conv", {2.0, 0.5}}})}),
      "own_conv: timing cache (1.0 us, runner-up library_conv 2.0 us)");
  EXPECT_EQ(
      choice(kConv,
             {.timings = timings_of({{"own_conv", {5.0, 0.1}}, {"library_conv", {2.0, 1.5}}})}),
      "own_conv: timing cache (5.0 us)")
      << "a wrong result is never chosen";
  EXPECT_EQ(choice(kConv, {.timings = timings_of({{"library_conv", {2.0, 0.5}}})}),
            "own_conv: first in order that supports it")
      << "nothing to compare with";
}

TEST(KernelChooser, APlanComesBeforeTheTimingCache) {
  const auto timings = timings_of({{"own_conv", {5.0, 0.1}}, {"library_conv", {2.0, 0.5}}});
  const auto plan = plan_of({{"conv1+bn1+relu1", kConvKey, "own_conv", {}}});
  EXPECT_EQ(choice(kConv, {.plan = plan, .timings = timings}), "own_conv: from plan p.json");
}

}  // namespace
}  // namespace tessera
