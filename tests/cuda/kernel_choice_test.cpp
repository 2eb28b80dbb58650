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

DeviceInfo hopper() {
  DeviceInfo device;
  device.backend = "cuda";
  device.compute_major = 9;
  return device;
}

std::string_view choice(const Problem& problem) {
  const auto entry = select(problem, *find_backend("cuda"), hopper());
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
  EXPECT_EQ(choice(gemm(1, 10, 784)), "gemv");
  EXPECT_EQ(choice(gemm(4, 10, 784)), "gemm_small_m");
  EXPECT_EQ(choice(gemm(64, 10, 128)), "gemm_warp_tile");
  // cuBLAS where it is installed.
  EXPECT_THAT(choice(gemm(512, 512, 512)), AnyOf("cublas_gemm", "gemm_warp_tile"));
}

// Why the kernel `name` refuses; empty where it does not.
std::string refusal(const Problem& problem, std::string_view name,
                    const DeviceInfo& device = DeviceInfo()) {
  const auto chosen = select(problem, *find_backend("cuda"), device, name);
  return chosen.ok() ? std::string() : chosen.status().message();
}

TEST(CudaKernelChoice, LibrariesRefuseSmallAndDeeplyBatchedProducts) {
  for (const std::string_view name : {"cublas_gemm", "cublaslt_gemm"}) {
    EXPECT_THAT(refusal(gemm(63, 64, 64), name), HasSubstr("262144 multiply-adds"));
    GemmProblem batched = gemm(64, 64, 64);
    batched.batch_rank = 2;
    batched.batch_extent = {2, 2};
    EXPECT_THAT(refusal(batched, name), HasSubstr("one stride"));
    EXPECT_THAT(refusal(gemm(int64_t{1} << 31, 64, 64), name), HasSubstr("2^31"));
  }
}

TEST(CudaKernelChoice, LibrariesTakeThePrecisionsThatAreComputedInFloat32) {
  for (const std::string_view name : {"cublas_gemm", "cublaslt_gemm"}) {
    GemmProblem p = gemm(512, 512, 512);
    p.dtype = DType::kF64;
    EXPECT_THAT(refusal(p, name), HasSubstr("float64 is not float32, float16 or bfloat16"));
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      p.dtype = dtype;
      EXPECT_THAT(refusal(p, name), AnyOf("", HasSubstr("was not found"))) << dtype;
    }
  }
}

TEST(CudaKernelChoice, WgmmaRefusesWhatTheCopyEngineAndTheTensorCoresDoNotTake) {
  GemmProblem p = gemm(512, 512, 512);
  EXPECT_THAT(refusal(p, "gemm_wgmma", hopper()), HasSubstr("float32 is not float16 or bfloat16"));
  p.dtype = DType::kF16;
  EXPECT_EQ(refusal(p, "gemm_wgmma", hopper()), "");
  DeviceInfo newer = hopper();
  newer.compute_major = 10;
  EXPECT_THAT(refusal(p, "gemm_wgmma", newer), HasSubstr("this device has 10.0"));
  GemmProblem odd = p;
  odd.lda = 516;
  EXPECT_THAT(refusal(odd, "gemm_wgmma", hopper()), HasSubstr("lda = 516 is not a multiple of 8"));
  GemmProblem empty = p;
  empty.K = 0;
  EXPECT_THAT(refusal(empty, "gemm_wgmma", hopper()), HasSubstr("K = 0"));
  GemmProblem batched = p;
  batched.batch_rank = 1;
  batched.batch_extent[0] = 3;
  EXPECT_THAT(refusal(batched, "gemm_wgmma", hopper()), HasSubstr("a batch of 3 is not 1"));
}

// Reasons that do not depend on whether cuDNN is there.
TEST(CudaKernelChoice, CudnnRefusesWindowsThatItWouldPlaceOrCountOtherwise) {
  PoolProblem p;
  p.N = 1;
  p.C = 3;
  p.H = p.W = 7;
  p.R = p.S = 2;
  p.stride_h = p.stride_w = 2;
  p.P = p.Q = 3;
  EXPECT_THAT(refusal(p, "cudnn_pool"), AnyOf("", HasSubstr("cuDNN")));
  PoolProblem past_the_end = p;  // ceil_mode
  past_the_end.P = 4;
  EXPECT_THAT(refusal(past_the_end, "cudnn_pool"),
              AnyOf(HasSubstr("pads both ends alike"), HasSubstr("not in this build")));
  PoolProblem dilated = p;
  dilated.dilation_h = 2;
  EXPECT_THAT(refusal(dilated, "cudnn_pool"),
              AnyOf(HasSubstr("not dilated"), HasSubstr("not in this build")));
  // Padded by 1 at the top only, the last window ends in padding that counts for cuDNN.
  PoolProblem uneven = p;
  uneven.kind = PoolKind::kAverage;
  uneven.count_include_pad = true;
  uneven.R = 3;
  uneven.pad_top = 1;
  uneven.P = 4;
  EXPECT_THAT(refusal(uneven, "cudnn_pool"),
              AnyOf(HasSubstr("reaches past the padding"), HasSubstr("not in this build")));
}

TEST(CudaKernelChoice, CudnnIsNeverTheFirstChoice) {
  PoolProblem pool;
  pool.N = pool.C = pool.H = pool.W = pool.P = pool.Q = pool.R = pool.S = 1;
  EXPECT_EQ(choice(pool), "pool_global");
  const auto rank = [](std::string_view name) {
    const auto kernels = find_backend("cuda")->kernels();
    const auto at = std::ranges::find(kernels, name, [](const auto* entry) { return entry->name; });
    EXPECT_NE(at, kernels.end()) << name;
    return at - kernels.begin();
  };
  // A library's row stands behind a kernel of ours that refuses nothing of its family.
  for (const auto& [ours, library] : {std::pair{"conv_direct", "cudnn_conv"},
                                      {"pool_window", "cudnn_pool"},
                                      {"softmax_columns", "cudnn_softmax"},
                                      {"gemm_naive", "cublaslt_gemm"}}) {
    EXPECT_LT(rank(ours), rank(library));
  }
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
  EXPECT_EQ(choice(SoftmaxProblem{DType::kF32, 5, 1025, 1}), "softmax_online");
  EXPECT_EQ(choice(SoftmaxProblem{DType::kF32, 5, 10, 2}), "softmax_columns");
}

TEST(CudaKernelChoice, ReductionFollowsAxisAndNumberOfResults) {
  const auto reduce = [](int64_t outer, int64_t axis, int64_t inner) {
    return ReduceProblem{ReduceKind::kSum, DType::kF32, outer, axis, inner};
  };
  EXPECT_EQ(choice(reduce(100000, 1000, 1)), "reduce_warp");
  EXPECT_EQ(choice(reduce(100000, 10000, 1)), "reduce_block");
  EXPECT_EQ(choice(reduce(10, 1000, 64)), "reduce_columns");
  DeviceInfo device;
  device.multiprocessors = 132;
  const auto entry = select(reduce(1, 1 << 26, 1), *find_backend("cuda"), device);
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ((*entry)->name, "reduce_two_pass");
}

TEST(CudaKernelChoice, BinaryWithoutBroadcastingIsDense) {
  BinaryProblem p;
  p.rank = 3;
  p.extent = {2, 3, 4};
  p.stride_a = {12, 4, 1};
  p.stride_b = {12, 4, 1};
  EXPECT_EQ(choice(p), "binary_dense");
  p.stride_b = {0, 0, 0};  // one number
  EXPECT_EQ(choice(p), "binary_dense");
  p.stride_b = {0, 1, 0};  // one number per channel
  EXPECT_EQ(choice(p), "binary");
}

TEST(CudaKernelChoice, PoolOfTheWholeImageIsAReduction) {
  PoolProblem p;
  p.N = 2;
  p.C = 8;
  p.H = p.W = p.R = p.S = 7;
  p.P = p.Q = 1;
  EXPECT_EQ(choice(p), "pool_global");
  p.pad_top = 1;
  EXPECT_EQ(choice(p), "pool_window");
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
  EXPECT_EQ(choice(p), "transpose_naive");
  p.extent = {2, 1, 4, 1};  // two axes that count, swapped
  EXPECT_EQ(choice(p), "transpose_tiled");
  p.permutation = {0, 1, 2, 3};
  EXPECT_EQ(choice(p), "transpose_naive");
}

}  // namespace
}  // namespace tessera
