// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/relative_error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "kernels/accuracy/accuracy_grid.h"
#include "kernels/accuracy/kernel_errors.h"
#include "kernels/accuracy/problem_operands.h"
#include "kernels/accuracy/run_kernel.h"
#include "kernels/timing/random_operands.h"

namespace tessera {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

RelativeError error_of(const std::vector<double>& actual, const std::vector<double>& expected) {
  return relative_error(encode(actual, DType::kF64), DType::kF64, expected);
}

TEST(RelativeError, IsOfTheResultAsAWhole) {
  const RelativeError error = error_of({4.0, 0.5, -2.0, 0.0}, {4.0, 0.0, -1.0, 0.0});
  EXPECT_DOUBLE_EQ(error.max, 1.0 / 4.0);
  EXPECT_DOUBLE_EQ(error.mean, 1.5 / 5.0);
}

TEST(RelativeError, IsZeroWhereAllAgree) {
  const RelativeError error = error_of({0.0, kNan, -kInfinity}, {-0.0, kNan, -kInfinity});
  EXPECT_EQ(error.max, 0.0);
  EXPECT_EQ(error.mean, 0.0);
}

TEST(RelativeError, IsInfiniteWhereNothingFiniteDescribesIt) {
  EXPECT_EQ(error_of({kNan, 1.0}, {2.0, 1.0}).max, kInfinity);
  EXPECT_EQ(error_of({1.0, 1.0}, {kNan, 1.0}).max, kInfinity);
  EXPECT_EQ(error_of({kInfinity}, {-kInfinity}).mean, kInfinity);
  EXPECT_EQ(error_of({1e-300}, {0.0}).max, kInfinity);
}

TEST(AccuracyGrid, GroupsAreDistinctAndTheirProblemsValid) {
  std::set<std::string> groups;
  for (const AccuracyGroup& group : accuracy_grid()) {
    const std::string name = group.operation + " " + group.precision + " " + group.layout;
    EXPECT_TRUE(groups.insert(name).second) << name;
    EXPECT_FALSE(group.problems.empty()) << name;
    EXPECT_GT(precision_roundoff(group.precision), 0.0);
    for (const Problem& problem : group.problems) {
      const ProblemOperands operands = describe_operands(problem);
      EXPECT_GT(operands.output.elements, 0) << to_string(problem);
      EXPECT_TRUE(dtype_is_float(compute_dtype(problem))) << to_string(problem);
    }
  }
}

TEST(AccuracyGrid, TheAllowanceGrowsWithTheSumAndIsFarFromTheNextPrecision) {
  GemmProblem p;
  p.M = p.N = 1, p.K = 1;
  EXPECT_DOUBLE_EQ(rounding_allowance(p, "float32"), std::ldexp(2.0, -24));
  p.K = 4096;
  EXPECT_DOUBLE_EQ(rounding_allowance(p, "float32"), std::ldexp(65.0, -24));
  EXPECT_DOUBLE_EQ(rounding_allowance(p, "tf32"), std::ldexp(1.0, -10) + std::ldexp(64.0, -24));
  for (const AccuracyGroup& group : accuracy_grid()) {
    if (group.precision != "float32") continue;
    for (const Problem& problem : group.problems) {
      EXPECT_LT(rounding_allowance(problem, "float32"), precision_roundoff("tf32") / 16);
    }
  }
}

// A kernel that computes nothing is found out: what it leaves unwritten is NaN.
TEST(RunKernel, WhatIsNotWrittenIsNan) {
  class Idle final : public Kernel {
    Status launch(const Operands&, Stream&) override { return {}; }
  };
  const KernelEntry idle = {"idle", SoftmaxProblem::kFamily, "does nothing",
                            [](const Problem&, const DeviceInfo&) { return Support::yes(); },
                            [](const Problem&, Device&) -> Result<std::unique_ptr<Kernel>> {
                              return std::unique_ptr<Kernel>(std::make_unique<Idle>());
                            }};
  const Problem problem = SoftmaxProblem{DType::kF32, 3, 5, 1};
  const auto device = find_backend("reference")->open(0);
  ASSERT_TRUE(device.ok());
  const auto result = run_kernel(idle, problem, random_operands(problem, 1), **device);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_EQ(result->size(), 15 * sizeof(float));
  for (int64_t i = 0; i < 15; ++i) {
    EXPECT_TRUE(std::isnan(read_element(*result, DType::kF32, i)));
  }
}

TEST(LibraryKernels, AreKnownByTheirNames) {
  for (const char* name : {"cublas_gemm", "cublaslt_gemm", "cudnn_conv", "onednn_pool"}) {
    EXPECT_TRUE(is_library_kernel(name)) << name;
  }
  for (const char* name : {"gemm_naive", "conv_direct", "cpu_pool", "reference_conv", "gemv"}) {
    EXPECT_FALSE(is_library_kernel(name)) << name;
  }
}

}  // namespace
}  // namespace tessera
