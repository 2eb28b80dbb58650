// SPDX-License-Identifier: Apache-2.0
// Selection, with kernels and devices that do not exist.
#include "kernels/select.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Status launch_nothing(const GemmProblem&, const Operands&, Stream&) { return {}; }

Support needs_hopper(const GemmProblem&, const DeviceInfo& device) {
  if (device.compute_major >= 9) return Support::yes();
  return Support::no("needs compute capability 9.0, the device has " +
                     std::to_string(device.compute_major) + "." +
                     std::to_string(device.compute_minor));
}

Support needs_multiple_of_8(const GemmProblem& problem, const DeviceInfo&) {
  if (problem.K % 8 == 0) return Support::yes();
  return Support::no("K = " + std::to_string(problem.K) + " is not a multiple of 8");
}

Support needs_nothing(const GemmProblem&, const DeviceInfo&) { return Support::yes(); }
Support refuses_softmax(const SoftmaxProblem&, const DeviceInfo&) {
  return Support::no("cannot do anything");
}
Status launch_softmax(const SoftmaxProblem&, const Operands&, Stream&) { return {}; }

constexpr KernelEntry kHopper =
    stateless_kernel_entry<GemmProblem, needs_hopper, launch_nothing>("gemm_hopper", "newest");
constexpr KernelEntry kVector =
    stateless_kernel_entry<GemmProblem, needs_multiple_of_8, launch_nothing>("gemm_vector", "fast");
constexpr KernelEntry kNaive =
    stateless_kernel_entry<GemmProblem, needs_nothing, launch_nothing>("gemm_naive", "any");
constexpr KernelEntry kSoftmax =
    stateless_kernel_entry<SoftmaxProblem, refuses_softmax, launch_softmax>("softmax_no", "none");

std::span<const KernelEntry* const> fake_kernels() {
  static constexpr std::array kEntries = {&kHopper, &kSoftmax, &kVector, &kNaive};
  return kEntries;
}

const Backend kFake = {"fake", fake_kernels, nullptr, nullptr, nullptr};

DeviceInfo device_of(int compute_major) {
  DeviceInfo info;
  info.compute_major = compute_major;
  return info;
}

GemmProblem gemm_of_k(int64_t k) {
  GemmProblem problem;
  problem.M = problem.N = problem.ldb = problem.ldd = 4;
  problem.K = problem.lda = k;
  return problem;
}

std::string_view selected(int64_t k, int compute_major, std::string_view forced = {}) {
  const auto entry = select(gemm_of_k(k), kFake, device_of(compute_major), forced);
  EXPECT_TRUE(entry.ok()) << entry.status().message();
  return entry.ok() ? (*entry)->name : std::string_view();
}

Status refusal(const Problem& problem, int compute_major, std::string_view forced = {}) {
  return select(problem, kFake, device_of(compute_major), forced).status();
}

TEST(Select, TakesTheFirstThatSupportsTheProblem) {
  EXPECT_EQ(selected(16, 9), "gemm_hopper");
  EXPECT_EQ(selected(16, 8), "gemm_vector");
  EXPECT_EQ(selected(12, 8), "gemm_naive");
}

TEST(Select, ListsCandidatesOfTheFamilyWithTheirReasons) {
  const std::vector<Candidate> all = candidates(gemm_of_k(12), kFake, device_of(8));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].entry, &kHopper);
  EXPECT_EQ(all[0].support.reason(), "needs compute capability 9.0, the device has 8.0");
  EXPECT_EQ(all[1].entry, &kVector);
  EXPECT_EQ(all[1].support.reason(), "K = 12 is not a multiple of 8");
  EXPECT_EQ(all[2].entry, &kNaive);
  EXPECT_TRUE(all[2].support.ok());
}

TEST(Select, AForcedNameWinsOverTheOrder) {
  EXPECT_EQ(selected(16, 9, "gemm_naive"), "gemm_naive");
  EXPECT_EQ(selected(16, 9, "gemm_vector"), "gemm_vector");
}

TEST(Select, AForcedKernelThatRefusesIsAnErrorWithItsReason) {
  const Status status = refusal(gemm_of_k(12), 9, "gemm_vector");
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("gemm_vector"));
  EXPECT_THAT(status.message(), HasSubstr("K = 12 is not a multiple of 8"));
}

TEST(Select, AnUnknownNameListsTheKnownOnes) {
  const Status status = refusal(gemm_of_k(16), 9, "gemm_fastest");
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("'gemm_fastest'"));
  EXPECT_THAT(status.message(), HasSubstr("gemm_hopper gemm_vector gemm_naive"));
  EXPECT_THAT(status.message(), Not(HasSubstr("softmax_no"))) << "it is of another family";
}

constexpr KernelEntry kRows =
    stateless_kernel_entry<SoftmaxProblem, refuses_softmax, launch_softmax>(
        "softmax_rows/gemm_naive", "by the other kernel");

std::span<const KernelEntry* const> combined_kernels() {
  static constexpr std::array kEntries = {&kNaive, &kRows};
  return kEntries;
}

TEST(Select, BothSidesOfASlashStandForTheKernel) {
  const Backend combined = {"fake", combined_kernels, nullptr, nullptr, nullptr};
  const std::vector<const KernelEntry*> rows = {&kRows};
  for (const char* name : {"softmax_rows/gemm_naive", "softmax_rows", "softmax", "gemm_naive"}) {
    EXPECT_EQ(kernels_named(name, combined, SoftmaxProblem::kFamily), rows) << name;
  }
  for (const char* name : {"naive", "rows", "softmax_row", "gemm"}) {
    EXPECT_TRUE(kernels_named(name, combined, SoftmaxProblem::kFamily).empty()) << name;
  }
  EXPECT_EQ(kernels_named("gemm_naive", combined), std::vector<const KernelEntry*>{&kNaive});
}

TEST(Select, WithoutAnyKernelEveryReasonIsGiven) {
  const Status refused = refusal(SoftmaxProblem{DType::kF32, 1, 10, 1, false}, 9);
  EXPECT_EQ(refused.code(), StatusCode::kUnsupported);
  EXPECT_THAT(refused.message(), HasSubstr("softmax_no: cannot do anything"));
  EXPECT_THAT(refused.message(), HasSubstr("softmax float32 outer=1 axis=10 inner=1"));
  const Status none = refusal(CastProblem{DType::kF32, DType::kI32, 4}, 9);
  EXPECT_EQ(none.code(), StatusCode::kUnsupported);
  EXPECT_THAT(none.message(), HasSubstr("it has no cast kernel"));
}

}  // namespace
}  // namespace tessera
