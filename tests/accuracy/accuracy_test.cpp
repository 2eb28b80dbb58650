// SPDX-License-Identifier: Apache-2.0
// How far our kernels and the vendor's are off on the same problems, both against float64: ours may
// not be noticeably worse. (Whether a result is right at all is the matter of tests/kernels.)
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>

#include "kernels/accuracy/accuracy_grid.h"
#include "kernels/accuracy/kernel_errors.h"

namespace tessera {
namespace {

// Another order of summation is as good, but not the same to the last digit.
constexpr double kMostTimesTheirs = 1.5;

struct AccuracyCase {
  const Backend* backend;
  AccuracyGroup group;
};

std::string case_name(const AccuracyCase& test) {
  std::string name = std::string(test.backend->name) + "_" + test.group.operation + "_" +
                     test.group.precision +
                     (test.group.layout.empty() ? "" : "_" + test.group.layout);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

void PrintTo(const AccuracyCase& test, std::ostream* out) { *out << case_name(test); }

// Whether the backend has kernels of both kinds for the group at all: on a CPU most have none of
// ours, or a library that computes float32 only, and nothing is to be compared. What a kernel takes
// on a GPU is asked there, in the test.
bool has_both_kinds(const Backend& backend, const AccuracyGroup& group) {
  bool ours = false;
  bool theirs = false;
  for (const KernelEntry* entry : backend.kernels()) {
    const auto takes = [&](const Problem& problem) {
      return entry->family == problem_family(problem) &&
             (backend.name == "cuda" || entry->supports(problem, DeviceInfo{}).ok());
    };
    if (entry->name.starts_with("reference_")) continue;
    if (std::none_of(group.problems.begin(), group.problems.end(), takes)) continue;
    (is_library_kernel(entry->name) ? theirs : ours) = true;
  }
  return ours && theirs;
}

std::vector<AccuracyCase> all_cases() {
  std::vector<AccuracyCase> cases;
  for (const Backend* backend : backends()) {
    for (AccuracyGroup& group : accuracy_grid()) {
      if (has_both_kinds(*backend, group)) cases.push_back({backend, std::move(group)});
    }
  }
  return cases;
}

// The largest error of the libraries' kernels; nothing when none took the problem.
std::optional<double> library_error(const ProblemErrors& errors) {
  std::optional<double> largest;
  for (const KernelError& kernel : errors.measured) {
    if (!is_library_kernel(kernel.entry->name)) continue;
    largest = std::max(largest.value_or(0.0), kernel.error.max);
  }
  return largest;
}

std::string library_refusals(const ProblemErrors& errors) {
  std::string text;
  for (const Candidate& candidate : errors.refused) {
    if (!is_library_kernel(candidate.entry->name)) continue;
    text += "\n  " + std::string(candidate.entry->name) + ": " + candidate.support.reason();
  }
  return text;
}

class Accuracy : public ::testing::TestWithParam<AccuracyCase> {};

TEST_P(Accuracy, OursIsNotWorseThanTheLibraries) {
  const auto& [backend, group] = GetParam();
  const auto device = backend->open(0);
  if (!device.ok())
    GTEST_SKIP() << "no " << backend->name << " device: " << device.status().message();
  int compared = 0;
  std::string refusals;
  for (const Problem& problem : group.problems) {
    const auto errors = measure_errors(problem, *backend, **device);
    ASSERT_TRUE(errors.ok()) << errors.status().message();
    for (const std::string& failure : errors->failures) ADD_FAILURE() << failure;
    const std::optional<double> theirs = library_error(*errors);
    if (!theirs) {
      if (refusals.empty()) refusals = to_string(problem) + library_refusals(*errors);
      continue;
    }
    const double limit = kMostTimesTheirs * *theirs + rounding_allowance(problem, group.precision);
    for (const KernelError& kernel : errors->measured) {
      if (is_library_kernel(kernel.entry->name)) continue;
      // Winograd's errors are larger by nature; tests/kernels/ holds them to their own bound.
      if (kernel.entry->winograd_outputs != 0) continue;
      ++compared;
      EXPECT_LE(kernel.error.max, limit) << kernel.entry->name << " on " << to_string(problem)
                                         << "; the libraries' error is " << *theirs;
    }
  }
  if (compared == 0) GTEST_SKIP() << "nothing to compare with: " << refusals;
  std::cout << "compared " << compared << " results\n";
}

INSTANTIATE_TEST_SUITE_P(All, Accuracy, ::testing::ValuesIn(all_cases()),
                         [](const auto& test) { return case_name(test.param); });

}  // namespace
}  // namespace tessera
