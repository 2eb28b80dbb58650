// SPDX-License-Identifier: Apache-2.0
// Every kernel of every backend in this build on every problem of its family.
#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>
#include <set>

#include "kernels/backend.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/problems.h"

namespace tessera::testing {
namespace {

struct BackendKernel {
  const Backend* backend;
  const KernelEntry* entry;
};

// In place of the bytes that GoogleTest would print.
void PrintTo(const BackendKernel& kernel, std::ostream* out) {
  *out << kernel.backend->name << " " << kernel.entry->name;
}

std::vector<BackendKernel> all_kernels() {
  std::vector<BackendKernel> all;
  for (const Backend* backend : backends()) {
    for (const KernelEntry* entry : backend->kernels()) all.push_back({backend, entry});
  }
  return all;
}

// "cuda_gemm_naive", "reference_conv": the backend's name is not repeated. A test's name has no
// slash.
std::string test_name(const ::testing::TestParamInfo<BackendKernel>& info) {
  const std::string prefix = std::string(info.param.backend->name) + "_";
  std::string name(info.param.entry->name);
  std::replace(name.begin(), name.end(), '/', '_');
  return name.starts_with(prefix) ? name : prefix + name;
}

void print_report(const EntryReport& report) {
  constexpr size_t kMostReasons = 6;
  std::cout << "ran " << report.ran << " problems\n";
  size_t printed = 0;
  for (const auto& [reason, count] : report.refusals) {
    if (++printed > kMostReasons) break;
    std::cout << "refused " << count << ": " << reason << "\n";
  }
  if (report.refusals.size() > kMostReasons) {
    std::cout << "and " << report.refusals.size() - kMostReasons << " more reasons\n";
  }
}

class Kernels : public ::testing::TestWithParam<BackendKernel> {};

TEST_P(Kernels, AgreeWithFloat64) {
  const auto& [backend, entry] = GetParam();
  const auto device = backend->open(0);
  if (!device.ok())
    GTEST_SKIP() << "no " << backend->name << " device: " << device.status().message();
  const EntryReport report = run_entry(*entry, all_problems(), **device);
  print_report(report);
  for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
  // "conv_im2col/gemm_small_m" is no kernel of its own: where the second refuses every product of
  // the first there is nothing to run.
  if (entry->name.find('/') != std::string_view::npos) return;
  if (is_excerpt()) return;
  EXPECT_GT(report.ran, 0) << "no problem of the lists reaches this kernel";
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, ::testing::ValuesIn(all_kernels()), test_name);

TEST(KernelTables, NamesAreUniqueWithinABackend) {
  for (const Backend* backend : backends()) {
    std::set<std::string_view> names;
    for (const KernelEntry* entry : backend->kernels()) {
      EXPECT_TRUE(names.insert(entry->name).second) << backend->name << " " << entry->name;
    }
  }
}

TEST(KernelTables, EveryRowIsDescribedAndOfAKnownFamily) {
  std::set<std::string_view> families;
  for (const Problem& problem : all_problems()) families.insert(problem_family(problem));
  EXPECT_EQ(families.size(), std::variant_size_v<Problem>) << "a family without test problems";
  for (const auto& [backend, entry] : all_kernels()) {
    EXPECT_EQ(families.count(entry->family), 1u) << entry->name << ": " << entry->family;
    EXPECT_FALSE(entry->description.empty()) << entry->name;
  }
}

TEST(KernelTables, TheReferenceComputesEveryFamilyAndComesLast) {
  const Backend* reference = backends().back();
  EXPECT_EQ(reference->name, "reference");
  std::set<std::string_view> families;
  for (const KernelEntry* entry : reference->kernels()) families.insert(entry->family);
  EXPECT_EQ(families.size(), std::variant_size_v<Problem>);
}

TEST(KernelTables, ADeviceThatIsNotThereIsAnError) {
  for (const Backend* backend : backends()) {
    EXPECT_EQ(find_backend(backend->name), backend);
    const auto device = backend->open(1000);
    ASSERT_FALSE(device.ok()) << backend->name;
    EXPECT_EQ(device.status().code(), StatusCode::kUnavailable);
  }
  EXPECT_EQ(find_backend("abacus"), nullptr);
}

}  // namespace
}  // namespace tessera::testing
