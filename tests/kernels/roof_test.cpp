// SPDX-License-Identifier: Apache-2.0
#include "kernels/timing/roof.h"

#include <gtest/gtest.h>

#include "tests/kernels/problems.h"

namespace tessera::testing {
namespace {

// The facts that an H100 SXM's driver reports.
DeviceInfo h100() {
  DeviceInfo info;
  info.compute_major = 9;
  info.multiprocessors = 132;
  info.clock_khz = 1980000;
  info.memory_clock_khz = 2619000;
  info.memory_bus_bits = 5120;
  return info;
}

GemmProblem gemm(int64_t M, int64_t N, int64_t K, DType dtype) {
  GemmProblem p;
  p.dtype = dtype;
  p.M = M;
  p.N = p.ldb = p.ldd = N;
  p.K = p.lda = K;
  return p;
}

TEST(Roof, PeaksAreThoseOfTheDataSheet) {
  // H100 SXM: 3.35 TB/s, 67 TFLOP/s in float32, 34 in float64, 989 with tensor cores at 1.83 GHz.
  const Problem f32 = gemm(1, 1, 1, DType::kF32);
  EXPECT_NEAR(*peak_bytes_per_second(h100()), 3.35e12, 0.01e12);
  EXPECT_NEAR(*peak_flops_per_second(f32, h100()), 67e12, 0.5e12);
  EXPECT_NEAR(*peak_flops_per_second(gemm(1, 1, 1, DType::kF64), h100()), 34e12, 0.6e12);
  EXPECT_NEAR(*peak_flops_per_second(gemm(1, 1, 1, DType::kBF16), h100()), 989e12 * 1.98 / 1.83,
              2e12);
  GemmProblem tf32 = gemm(1, 1, 1, DType::kF32);
  tf32.allow_tf32 = true;
  EXPECT_NEAR(*peak_flops_per_second(tf32, h100()), 494.7e12 * 1.98 / 1.83, 2e12);
}

TEST(Roof, WithoutFactsThereIsNone) {
  const Problem problem = gemm(64, 64, 64, DType::kF32);
  EXPECT_FALSE(problem_roof(problem, DeviceInfo{}));
  DeviceInfo future = h100();
  future.compute_major = 77;
  EXPECT_TRUE(peak_bytes_per_second(future));
  EXPECT_FALSE(peak_flops_per_second(problem, future));
  EXPECT_FALSE(problem_roof(problem, future));
}

TEST(Roof, LargeProductsAreBoundByArithmeticAndThinOnesByMemory) {
  const auto large = problem_roof(gemm(4096, 4096, 4096, DType::kF32), h100());
  ASSERT_TRUE(large);
  EXPECT_FALSE(large->is_memory);
  EXPECT_NEAR(large->microseconds, 2.0 * 4096 * 4096 * 4096 / 66.9e12 * 1e6, 1);
  const auto thin = problem_roof(gemm(1, 4096, 4096, DType::kF32), h100());
  ASSERT_TRUE(thin);
  EXPECT_TRUE(thin->is_memory);
  EXPECT_NEAR(thin->microseconds, 4.0 * (4096.0 * 4096 + 2 * 4096) / 3.352e12 * 1e6, 0.1);
}

TEST(Roof, OnlyBytesThatTakePartCount) {
  GemmProblem gapped = gemm(10, 20, 30, DType::kF32);
  const double dense = problem_bytes(gapped);
  EXPECT_EQ(dense, 4.0 * (10 * 30 + 30 * 20 + 10 * 20));
  gapped.lda = gapped.ldb = gapped.ldd = 64;
  EXPECT_EQ(problem_bytes(gapped), dense);
  GemmProblem shared_weights = gemm(10, 20, 30, DType::kF32);
  shared_weights.batch_rank = 1;
  shared_weights.batch_extent[0] = 5;
  shared_weights.batch_stride_a[0] = 300;
  EXPECT_EQ(problem_bytes(shared_weights), 4.0 * (5 * 10 * 30 + 30 * 20 + 5 * 10 * 20));

  ConvProblem strided;  // 1x1 at every second place: a quarter of the input
  strided.N = 1;
  strided.C = 3;
  strided.H = strided.W = 8;
  strided.K = 2;
  strided.R = strided.S = 1;
  strided.P = strided.Q = 4;
  strided.stride_h = strided.stride_w = 2;
  EXPECT_EQ(problem_bytes(strided), 4.0 * (3 * 16 + 2 * 3 + 2 * 16));

  const GatherProblem rows{DType::kF32, DType::kI64, 1, 1000, 8, 3};
  EXPECT_EQ(problem_bytes(rows), 4.0 * 3 * 8 * 2 + 3 * 8);
}

TEST(Roof, EveryProblemHasAFiniteOne) {
  for (const Problem& problem : all_problems()) {
    const auto roof = problem_roof(problem, h100());
    ASSERT_TRUE(roof) << to_string(problem);
    EXPECT_GE(roof->microseconds, 0) << to_string(problem);
    EXPECT_LT(roof->microseconds, 1e6) << to_string(problem);
  }
}

}  // namespace
}  // namespace tessera::testing
