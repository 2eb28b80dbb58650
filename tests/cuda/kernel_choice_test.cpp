// SPDX-License-Identifier: Apache-2.0
// Which kernel the order of kernels.inc and the refusals lead to. supports() runs on the host, so
// no device is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/select.h"

namespace tessera {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string_view choice(const Problem& problem) {
  DeviceInfo device;
  device.backend = "cuda";
  device.compute_major = 9;
  const auto entry = select(problem, *find_backend("cuda"), device);
  return entry.ok() ? (*entry)->name : "none";
}

GemmProblem gemm(int64_t m, int64_t n, int64_t k) {
  GemmProblem p;
  p.M = m;
  p.N = n;
  p.K = k;
  p.transpose_b = true;
  p.lda = k;
  p.ldb = k;
  p.ldd = n;
  return p;
}

TEST(CudaKernelChoice, GemmFollowsTheSize) {
  EXPECT_EQ(choice(gemm(1, 10, 784)), "gemm_small_m");
  EXPECT_EQ(choice(gemm(64, 10, 128)), "gemm_warp_tile");
  // cuBLAS where it is installed.
  EXPECT_THAT(choice(gemm(512, 512, 512)), AnyOf("cublas_gemm", "gemm_warp_tile"));
}

TEST(CudaKernelChoice, CublasRefusesSmallAndDeeplyBatchedProducts) {
  const auto refusal = [](const GemmProblem& problem) {
    const auto chosen = select(problem, *find_backend("cuda"), DeviceInfo(), "cublas_gemm");
    return chosen.ok() ? std::string() : chosen.status().message();
  };
  EXPECT_THAT(refusal(gemm(63, 64, 64)), HasSubstr("262144 multiply-adds"));
  GemmProblem batched = gemm(64, 64, 64);
  batched.batch_rank = 2;
  batched.batch_extent = {2, 2};
  EXPECT_THAT(refusal(batched), HasSubstr("one stride"));
  EXPECT_THAT(refusal(gemm(int64_t{1} << 31, 64, 64)), HasSubstr("2^31"));
}

TEST(CudaKernelChoice, ConvolutionFollowsTheLengthOfTheReduction) {
  ConvProblem p;
  p.N = 1;
  p.C = 3;
  p.K = 16;
  p.H = p.W = p.P = p.Q = 8;
  p.R = p.S = 3;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
  EXPECT_EQ(choice(p), "conv_direct");
  p.C = 32;
  EXPECT_EQ(choice(p), "conv_implicit_gemm");
  p.K = p.groups = 32;  // depthwise
  EXPECT_EQ(choice(p), "conv_direct");
}

TEST(CudaKernelChoice, SoftmaxInOneWarpWhereTheRowFits) {
  EXPECT_EQ(choice(SoftmaxProblem{DType::kF32, 5, 1024, 1}), "softmax_warp");
  EXPECT_EQ(choice(SoftmaxProblem{DType::kF32, 5, 1025, 1}), "softmax_block");
  EXPECT_EQ(choice(SoftmaxProblem{DType::kF32, 5, 10, 2}), "softmax_block");
}

TEST(CudaKernelChoice, TransposeByTilesWhereItIsAMatrixTranspose) {
  TransposeProblem p;
  p.rank = 4;
  p.extent = {2, 3, 4, 5};
  p.permutation = {0, 2, 3, 1};  // NCHW to NHWC
  EXPECT_EQ(choice(p), "transpose_tiled");
  p.permutation = {2, 3, 0, 1};
  EXPECT_EQ(choice(p), "transpose_tiled");
  p.permutation = {3, 2, 1, 0};
  EXPECT_EQ(choice(p), "transpose");
  p.extent = {2, 1, 4, 1};  // two axes that count, swapped
  EXPECT_EQ(choice(p), "transpose_tiled");
  p.permutation = {0, 1, 2, 3};
  EXPECT_EQ(choice(p), "transpose");
}

}  // namespace
}  // namespace tessera
