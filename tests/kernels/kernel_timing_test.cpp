// SPDX-License-Identifier: Apache-2.0
// The mechanics of timing, on kernels made for it. What it measures is a matter of the device.
#include "kernels/timing/kernel_timing.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "kernels/backend.h"
#include "kernels/select.h"
#include "kernels/timing/random_operands.h"
#include "tests/kernels/problems.h"

namespace tessera::testing {
namespace {

// What the kernels below saw. Reset by the fixture.
struct Seen {
  std::vector<const void*> sources;
  std::vector<const void*> weights;
  int kernels = 0;
  int launches_until_failure = -1;  // never
};
Seen seen;

class SleepingKernel final : public Kernel {
 public:
  explicit SleepingKernel(bool packs) : packs_(packs) { ++seen.kernels; }
  Result<std::vector<int>> pack_constants(std::span<const Tensor* const> constants) override {
    EXPECT_NE(constants[GemmProblem::kB], nullptr);
    EXPECT_EQ(constants[GemmProblem::kA], nullptr);
    return packs_ ? std::vector<int>{GemmProblem::kB} : std::vector<int>{};
  }
  Status launch(const Operands& operands, Stream&) override {
    if (seen.launches_until_failure-- == 0) return internal_error("the kernel broke");
    seen.sources.push_back(operands.inputs[GemmProblem::kA]);
    seen.weights.push_back(operands.inputs[GemmProblem::kB]);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return {};
  }

 private:
  bool packs_;
};

template <bool kPacks>
constexpr KernelEntry kSleeping = {
    "sleeping", GemmProblem::kFamily, "sleeps for 100 microseconds",
    [](const Problem&, const DeviceInfo&) { return Support::yes(); },
    [](const Problem&, Device&) -> Result<std::unique_ptr<Kernel>> {
      return std::unique_ptr<Kernel>(std::make_unique<SleepingKernel>(kPacks));
    }};

GemmProblem square(int64_t extent) {
  GemmProblem p;
  p.M = p.N = p.K = p.lda = p.ldb = p.ldd = extent;
  return p;
}

class KernelTimingTest : public ::testing::Test {
 protected:
  void SetUp() override { seen = {}; }
  // A host with a cache of 1 MiB.
  static std::unique_ptr<Device> small_cache_device() {
    DeviceInfo info;
    info.last_level_cache_bytes = size_t{1} << 20;
    return make_host_device(info);
  }
  std::unique_ptr<Device> device_ = small_cache_device();
};

TEST_F(KernelTimingTest, ASampleIsTheTimeOfOneLaunch) {
  const auto timing = time_kernel(kSleeping<false>, square(64), *device_, {1.0, 7});
  ASSERT_TRUE(timing.ok()) << timing.status().message();
  EXPECT_EQ(timing->samples_us.size(), 7u);
  EXPECT_EQ(timing->microseconds.count, 7u);
  EXPECT_GE(timing->launches_per_sample, 1u);
  EXPECT_LE(timing->launches_per_sample, 2u) << "a batch takes about 200 microseconds";
  EXPECT_GE(timing->microseconds.min, 100.0);
  EXPECT_LE(timing->microseconds.min, timing->microseconds.median);
  EXPECT_LE(timing->microseconds.median, timing->microseconds.p90);
}

TEST_F(KernelTimingTest, LaunchesGoRoundMoreCopiesThanTheCacheHolds) {
  const size_t copy_bytes = 3 * 64 * 64 * sizeof(float);
  const auto timing = time_kernel(kSleeping<false>, square(64), *device_, {10.0, 100});
  ASSERT_TRUE(timing.ok()) << timing.status().message();
  const std::set<const void*> distinct(seen.sources.begin(), seen.sources.end());
  EXPECT_GE((distinct.size() + 1) * copy_bytes, size_t{2} << 20);
  for (size_t i = 3; i + 1 < seen.sources.size(); ++i) {
    EXPECT_NE(seen.sources[i], seen.sources[i + 1]);
  }
  EXPECT_EQ(seen.kernels, 1);
}

TEST_F(KernelTimingTest, LargeOperandsAreThereTwice) {
  const auto copies = OperandCopies::create(square(1024), *device_);
  ASSERT_TRUE(copies.ok()) << copies.status().message();
  EXPECT_EQ((*copies)->count(), 2u);
  EXPECT_NE((*copies)->output(0), (*copies)->output(1));
}

TEST_F(KernelTimingTest, EveryCopyHoldsTheSameInputs) {
  const auto created = OperandCopies::create(square(65), *device_);
  ASSERT_TRUE(created.ok()) << created.status().message();
  const OperandCopies& copies = **created;
  ASSERT_GT(copies.count(), 10u);
  for (size_t index = 0; index < copies.count(); ++index) {
    for (const size_t operand : {0, 1}) {
      const Bytes& expected = copies.host_inputs()[operand];
      ASSERT_EQ(std::memcmp(copies.input(index, operand), expected.data(), expected.size()), 0);
    }
    EXPECT_EQ(copies.input(index, GemmProblem::kBias), nullptr);
  }
}

TEST_F(KernelTimingTest, AKernelThatPacksItsWeightsHasSeveralInstances) {
  const auto timing = time_kernel(kSleeping<true>, square(64), *device_, {0.1, 3});
  ASSERT_TRUE(timing.ok()) << timing.status().message();
  EXPECT_GT(seen.kernels, 1);
  EXPECT_THAT(seen.weights, ::testing::Each(nullptr));
}

TEST_F(KernelTimingTest, TheBudgetEndsIt) {
  const auto timing = time_kernel(kSleeping<false>, square(64), *device_, {0.0, 1000});
  ASSERT_TRUE(timing.ok()) << timing.status().message();
  EXPECT_EQ(timing->samples_us.size(), 1u);
}

TEST_F(KernelTimingTest, AFailingKernelIsNamed) {
  for (const int launches : {0, 1, 5}) {
    seen = {};
    seen.launches_until_failure = launches;
    const auto timing = time_kernel(kSleeping<false>, square(64), *device_, {1.0, 100});
    ASSERT_FALSE(timing.ok()) << launches;
    EXPECT_EQ(timing.status().message(), "sleeping: the kernel broke");
  }
}

TEST_F(KernelTimingTest, MemoryThatIsNotThereIsAnError) {
  UnaryProblem huge;
  huge.count = int64_t{1} << 10;
  huge.activation.kind = ActivationKind::kRelu;
  DeviceInfo info;
  info.last_level_cache_bytes = size_t{1} << 60;
  const auto device = make_host_device(info);
  const auto copies = OperandCopies::create(huge, *device);
  ASSERT_TRUE(copies.ok()) << copies.status().message();
  EXPECT_EQ((*copies)->count(), 4096u);
  // The buffer that stands in for more copies does not fit.
  const KernelEntry* entry = *select(huge, *backends().back(), device->info());
  const auto timer = KernelTimer::create(*entry, *copies);
  ASSERT_FALSE(timer.ok());
  EXPECT_EQ(timer.status().code(), StatusCode::kOutOfMemory);
}

// Every family on every device that is there, with the first kernel that takes it.
TEST_F(KernelTimingTest, EveryFamilyCanBeTimed) {
  for (const Backend* backend : backends()) {
    const auto device = backend->open(0);
    if (!device.ok()) continue;
    std::set<std::string_view> families;
    for (const Problem& problem : all_problems()) {
      const double flops = problem_flops(problem);
      const auto entry = select(problem, *backend, (*device)->info());
      if (!entry.ok() || flops > 1e6 || !families.insert(problem_family(problem)).second) continue;
      const auto timing = time_kernel(**entry, problem, **device, {0.0, 1});
      EXPECT_TRUE(timing.ok()) << timing.status().message();
      if (!timing.ok()) continue;
      EXPECT_GE(timing->microseconds.median, 0) << to_string(problem);
    }
    EXPECT_EQ(families.size(), std::variant_size_v<Problem>) << backend->name;
  }
}

TEST(RandomOperands, AreFiniteNonZeroAndInRange) {
  for (const Problem& problem : all_problems()) {
    const ProblemOperands specs = describe_operands(problem);
    const std::vector<Bytes> inputs = random_operands(problem, 1);
    ASSERT_EQ(inputs.size(), specs.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!specs.inputs[i].present) {
        EXPECT_TRUE(inputs[i].empty());
        continue;
      }
      ASSERT_EQ(inputs[i].size(), specs.inputs[i].size_bytes()) << to_string(problem);
      if (!dtype_is_float(specs.inputs[i].dtype)) continue;
      for (const double value : decode(inputs[i], specs.inputs[i].dtype)) {
        ASSERT_LE(std::fabs(value), 1.5) << to_string(problem);
      }
    }
  }
  GatherProblem gather{DType::kF32, DType::kI32, 1, 5, 1, 1000};
  const std::vector<double> indices = decode(random_operands(gather, 1)[1], DType::kI32);
  EXPECT_THAT(indices, ::testing::Each(::testing::AllOf(::testing::Ge(0), ::testing::Lt(5))));
  EXPECT_EQ(std::set<double>(indices.begin(), indices.end()).size(), 5u);
}

TEST(RandomOperands, AreSpreadEvenly) {
  UnaryProblem p;
  p.count = 100000;
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
    p.dtype = dtype;
    double sum = 0;
    double squares = 0;
    for (const double value : decode(random_operands(p, 7)[0], dtype)) {
      sum += value;
      squares += value * value;
    }
    // Mean 0 and variance 1/3, each within 5 standard deviations of its estimate.
    EXPECT_NEAR(sum / 1e5, 0.0, 5 * std::sqrt(1.0 / 3 / 1e5)) << dtype;
    EXPECT_NEAR(squares / 1e5, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / 1e5) + 1e-3) << dtype;
  }
}

TEST(SampleStatistics, InterpolateAsNumpyDoes) {
  const std::vector<double> samples = {4, 1, 3, 2};
  const SampleStatistics statistics = summarize(samples);
  EXPECT_EQ(statistics.count, 4u);
  EXPECT_EQ(statistics.min, 1);
  EXPECT_EQ(statistics.mean, 2.5);
  EXPECT_DOUBLE_EQ(statistics.median, 2.5);
  EXPECT_DOUBLE_EQ(statistics.p90, 3.7);
  EXPECT_DOUBLE_EQ(statistics.p99, 3.97);
  EXPECT_EQ(summarize({}).count, 0u);
  EXPECT_EQ(summarize(std::vector<double>{5}).p99, 5);
}

}  // namespace
}  // namespace tessera::testing
