// SPDX-License-Identifier: Apache-2.0
// The reference itself, against results computed by hand.
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "kernels/accuracy/truth.h"
#include "tests/kernels/test_data.h"

namespace tessera::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Values = std::vector<double>;

// Runs a float32 problem.
Values run(const Problem& problem, const std::vector<Values>& inputs) {
  std::vector<Bytes> bytes;
  for (const Values& input : inputs) bytes.push_back(encode(input, DType::kF32));
  const Result<Bytes> result = run_reference(problem, bytes);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? decode(*result, DType::kF32) : Values();
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Reference, GemmWithEverything) {
  GemmProblem p;
  p.M = 2, p.N = 2, p.K = 3;
  p.transpose_b = true;
  p.lda = 4, p.ldb = 3, p.ldd = 3;
  p.alpha = 2.0f, p.beta = 10.0f;
  p.bias_stride_m = 1, p.bias_stride_n = 0;
  p.epilogue = {true, true, {ActivationKind::kClip, 0, 100}};
  // A = [1 2 3; 4 5 6] and B^T = [1 0 -1; 2 1 0], so A * B = [-2 4; -2 13].
  const Values a = {1, 2, 3, 99, 4, 5, 6, 99};
  const Values b = {1, 0, -1, 2, 1, 0};
  const Values bias = {1, 2};  // one per row
  const Values residual = {0.5, -0.5, 99, -50, 80, 99};
  const Values d = run(p, {a, b, bias, residual});
  // 2 * -2 + 10 + 0.5, 2 * 4 + 10 - 0.5; 2 * -2 + 20 - 50 -> 0, 2 * 13 + 20 + 80 -> 100.
  EXPECT_EQ((Values{d[0], d[1], d[3], d[4]}), (Values{6.5, 17.5, 0, 100}));
}

TEST(Reference, GemmBroadcastsBatches) {
  GemmProblem p;
  p.M = p.N = p.K = p.lda = p.ldb = p.ldd = 1;
  p.batch_rank = 2;
  p.batch_extent = {2, 3};
  p.batch_stride_a = {1, 0};
  p.batch_stride_b = {0, 1};
  EXPECT_THAT(run(p, {{2, 3}, {5, 7, 11}, {}, {}}), ElementsAre(10, 14, 22, 15, 21, 33));
}

TEST(Reference, ConvWithAsymmetricPads) {
  ConvProblem p;
  p.N = p.C = 1, p.H = 2, p.W = 3;
  p.K = 1, p.R = p.S = 2;
  p.pad_top = 1, p.pad_left = 0, p.pad_bottom = 0, p.pad_right = 2;
  p.P = 2, p.Q = 4;
  p.epilogue.has_bias = true;
  const Values src = {1, 2, 3, 4, 5, 6};
  // [10 1; 100 1000]: each digit of a result shows which cell met which weight.
  const Values weights = {10, 1, 100, 1000};
  EXPECT_THAT(run(p, {src, weights, {0.5}, {}}),
              ElementsAre(2100.5, 3200.5, 300.5, 0.5, 5412.5, 6523.5, 630.5, 0.5));
}

TEST(Reference, ConvWithGroupsDilationAndStride) {
  ConvProblem p;
  p.N = 1, p.C = 2, p.H = 1, p.W = 5;
  p.K = 2, p.R = 1, p.S = 2;
  p.groups = 2;
  p.dilation_w = 2, p.stride_w = 2;
  p.P = 1, p.Q = 2;
  const Values src = {1, 2, 3, 4, 5, 10, 20, 30, 40, 50};
  EXPECT_THAT(run(p, {src, {1, 10, 1, 100}, {}, {}}), ElementsAre(31, 53, 3010, 5030));
}

TEST(Reference, ConvInBlockedLayoutKeepsPaddingZero) {
  ConvProblem p;
  p.N = 1, p.C = 2, p.H = 1, p.W = 1;
  p.K = 3, p.R = p.S = 1, p.P = p.Q = 1;
  p.src_layout = Layout::kNHWC;
  p.dst_layout = Layout::kNChw8c;
  p.epilogue = {true, false, {ActivationKind::kSigmoid, 0, 0}};
  const Values dst = run(p, {{1, 2}, {1, 1, 0, 0, -1, -1}, {-3, 0, 3}, {}});
  EXPECT_THAT(dst, ElementsAre(0.5, 0.5, 0.5, 0, 0, 0, 0, 0));
}

PoolProblem row_pool(PoolKind kind, int64_t width, int64_t window, int64_t stride,
                     int64_t outputs) {
  PoolProblem p;
  p.kind = kind;
  p.N = p.C = p.H = p.R = p.P = 1;
  p.W = width, p.S = window, p.stride_w = stride, p.Q = outputs;
  return p;
}

TEST(Reference, MaxPoolIgnoresPaddingAndKeepsNan) {
  PoolProblem p = row_pool(PoolKind::kMax, 6, 3, 2, 3);
  p.pad_left = 1;
  EXPECT_THAT(run(p, {{-5, -4, -3, -8, -9, -7}}), ElementsAre(-4, -3, -7));
  const Values with_nan = run(p, {{1, 2, kNan, 4, 5, 6}});
  EXPECT_EQ(with_nan[0], 2);
  EXPECT_TRUE(std::isnan(with_nan[1]));
  EXPECT_EQ(with_nan[2], 6);
  EXPECT_THAT(run(p, {Values(6, -kInfinity)}), ElementsAre(-kInfinity, -kInfinity, -kInfinity));
}

TEST(Reference, AveragePoolCountsWhatOnnxCounts) {
  // Width 4, window 3, stride 2, pads 1 and 0, ceil_mode: the windows start at -1, 1 and 3, and the
  // last one reaches two cells past the end.
  PoolProblem p = row_pool(PoolKind::kAverage, 4, 3, 2, 3);
  p.pad_left = 1;
  EXPECT_THAT(run(p, {{3, 9, 6, 12}}), ElementsAre(6, 9, 12));
  p.count_include_pad = true;
  EXPECT_THAT(run(p, {{3, 9, 6, 12}}), ElementsAre(4, 9, 12));
  // With one cell of padding at the end, that cell counts and the one after it does not.
  p.pad_right = 1;
  EXPECT_THAT(run(p, {{3, 9, 6, 12}}), ElementsAre(4, 9, 6));
}

TEST(Reference, AveragePoolOfNothingIsZero) {
  PoolProblem p = row_pool(PoolKind::kAverage, 1, 2, 1, 1);
  p.dilation_w = 2;
  p.pad_left = p.pad_right = 1;
  EXPECT_THAT(run(p, {{5}}), ElementsAre(0));
}

TEST(Reference, SoftmaxAndItsLogarithm) {
  // exp(log k) = k: the rows sum to 1 + 3 = 4, also with a large number added.
  const double log3 = static_cast<float>(std::log(3.0));
  SoftmaxProblem p{DType::kF32, 2, 2, 1, false};
  const Values softmax = run(p, {{0, log3, 4096, 4096}});
  EXPECT_THAT(softmax, ElementsAreArray({::testing::DoubleNear(0.25, 1e-7),
                                         ::testing::DoubleNear(0.75, 1e-7),
                                         ::testing::DoubleEq(0.5), ::testing::DoubleEq(0.5)}));
  p.log = true;
  const Values log_softmax = run(p, {{0, log3, -kInfinity, 7}});
  EXPECT_NEAR(log_softmax[0], -std::log(4.0), 1e-7);
  EXPECT_NEAR(log_softmax[1], std::log(0.75), 1e-7);
  EXPECT_EQ(log_softmax[2], -kInfinity);
  EXPECT_EQ(log_softmax[3], 0);
}

TEST(Reference, SoftmaxRowsWithNanAreNan) {
  // (1, 2, 2): the columns are the rows of the softmax.
  const Values result = run(SoftmaxProblem{DType::kF32, 1, 2, 2, false}, {{kNan, 1, 0, 1}});
  EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[2]));
  EXPECT_EQ(result[1], 0.5);
  EXPECT_EQ(result[3], 0.5);
}

TEST(Reference, Activations) {
  const auto apply = [](ActivationKind kind, float alpha, float beta, double x) {
    return run(UnaryProblem{DType::kF32, 1, {kind, alpha, beta}}, {{x}})[0];
  };
  EXPECT_EQ(apply(ActivationKind::kNone, 0, 0, -3), -3);
  EXPECT_EQ(apply(ActivationKind::kRelu, 0, 0, -3), 0);
  EXPECT_EQ(apply(ActivationKind::kLeakyRelu, 0.25f, 0, -4), -1);
  EXPECT_EQ(apply(ActivationKind::kLeakyRelu, 0.25f, 0, 4), 4);
  EXPECT_EQ(apply(ActivationKind::kClip, -1, 6, 7), 6);
  EXPECT_EQ(apply(ActivationKind::kClip, -1, 6, -7), -1);
  EXPECT_EQ(apply(ActivationKind::kSigmoid, 0, 0, 0), 0.5);
  EXPECT_EQ(apply(ActivationKind::kTanh, 0, 0, kInfinity), 1);
  for (const ActivationKind kind :
       {ActivationKind::kNone, ActivationKind::kRelu, ActivationKind::kLeakyRelu,
        ActivationKind::kClip, ActivationKind::kSigmoid, ActivationKind::kTanh}) {
    EXPECT_TRUE(std::isnan(apply(kind, -1, 1, kNan))) << activation_name(kind);
  }
}

TEST(Reference, BinaryBroadcastsAndDividesIntegers) {
  BinaryProblem p;
  p.kind = BinaryKind::kSub;
  p.rank = 2;
  p.extent = {2, 3};
  p.stride_a = {1, 0};
  p.stride_b = {0, 1};
  EXPECT_THAT(run(p, {{10, 20}, {1, 2, 3}}), ElementsAre(9, 8, 7, 19, 18, 17));
  BinaryProblem division;
  division.kind = BinaryKind::kDiv;
  division.dtype = DType::kI32;
  division.rank = 1;
  division.extent = {4};
  division.stride_a = division.stride_b = {1};
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  const auto quotients = run_reference(
      division, {bytes_of<int32_t>({-7, 7, 5, kMin}), bytes_of<int32_t>({2, -2, 0, -1})});
  ASSERT_TRUE(quotients.ok());
  EXPECT_EQ(*quotients, bytes_of<int32_t>({-3, -3, 0, kMin}));
}

template <typename To>
std::vector<To> cast_from_f32(const Values& values) {
  const CastProblem p{DType::kF32, dtype_of<To>(), static_cast<int64_t>(values.size())};
  const auto result = run_reference(p, {encode(values, DType::kF32)});
  std::vector<To> cast(values.size());
  if (result.ok()) std::memcpy(cast.data(), result->data(), result->size());
  return cast;
}

TEST(Reference, CastTruncatesAndSaturates) {
  EXPECT_THAT(cast_from_f32<uint8_t>({-1, 0.9, 255.9, 256, kInfinity, kNan}),
              ElementsAre(0, 0, 255, 255, 255, 0));
  EXPECT_THAT(cast_from_f32<int8_t>({-128.9, -129, 127.9, 128, -0.9, -kInfinity}),
              ElementsAre(-128, -128, 127, 127, 0, -128));
  EXPECT_THAT(
      cast_from_f32<int64_t>({9.3e18, -9.3e18, 3.5}),
      ElementsAre(std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), 3));
  EXPECT_THAT(cast_from_f32<uint64_t>({1.9e19, -5}),
              ElementsAre(std::numeric_limits<uint64_t>::max(), 0));
}

TEST(Reference, CastOfBoolsAndHalves) {
  const auto to_bool = run_reference(CastProblem{DType::kF32, DType::kBool, 4},
                                     {encode({0, -0.0, 0.25, kNan}, DType::kF32)});
  ASSERT_TRUE(to_bool.ok());
  EXPECT_EQ(*to_bool, bytes_of<uint8_t>({0, 0, 1, 1}));
  const auto to_half =
      run_reference(CastProblem{DType::kI32, DType::kF16, 3}, {bytes_of<int32_t>({1, -2, 70000})});
  ASSERT_TRUE(to_half.ok());
  EXPECT_EQ(*to_half, bytes_of<uint16_t>({0x3c00, 0xc000, 0x7c00}));
}

// The first is the example of ONNX's Cast-13.
TEST(Reference, CastOfIntegersWraps) {
  const auto to_int8 =
      run_reference(CastProblem{DType::kI16, DType::kI8, 3}, {bytes_of<int16_t>({200, -129, -7})});
  ASSERT_TRUE(to_int8.ok());
  EXPECT_EQ(*to_int8, bytes_of<int8_t>({-56, 127, -7}));
  const auto to_uint16 = run_reference(CastProblem{DType::kI64, DType::kU16, 4},
                                       {bytes_of<int64_t>({-1, 65536, 65543, int64_t{1} << 40})});
  ASSERT_TRUE(to_uint16.ok());
  EXPECT_EQ(*to_uint16, bytes_of<uint16_t>({65535, 0, 7, 0}));
  const auto to_signed =
      run_reference(CastProblem{DType::kU64, DType::kI64, 2},
                    {bytes_of<uint64_t>({std::numeric_limits<uint64_t>::max(), 5})});
  ASSERT_TRUE(to_signed.ok());
  EXPECT_EQ(*to_signed, bytes_of<int64_t>({-1, 5}));
  const auto to_bool =
      run_reference(CastProblem{DType::kI32, DType::kBool, 3}, {bytes_of<int32_t>({256, 0, -1})});
  ASSERT_TRUE(to_bool.ok());
  EXPECT_EQ(*to_bool, bytes_of<uint8_t>({1, 0, 1}));
}

TEST(Reference, BatchNorm) {
  const BatchNormProblem p{DType::kF32, 1, 2, 2, 1.0f};
  // (src - mean) / sqrt(variance + 1) * scale + bias with deviations 2 and 4.
  EXPECT_THAT(run(p, {{1, 3, 8, 0}, {10, 1}, {0, 5}, {1, 4}, {3, 15}}), ElementsAre(0, 10, 6, 4));
}

TEST(Reference, Transpose) {
  TransposeProblem p;
  p.rank = 3;
  p.extent = {1, 2, 3};
  p.permutation = {2, 0, 1};
  EXPECT_THAT(run(p, {{1, 2, 3, 4, 5, 6}}), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(Reference, Concat) {
  const ConcatProblem p{DType::kF32, 2, 1, {2, 0, 1}};
  EXPECT_THAT(run(p, {{1, 2, 3, 4}, {}, {5, 6}}), ElementsAre(1, 2, 5, 3, 4, 6));
}

TEST(Reference, GatherCountsNegativeIndicesFromTheEnd) {
  const GatherProblem p{DType::kF32, DType::kI64, 2, 3, 1, 3};
  const auto result =
      run_reference(p, {encode({1, 2, 3, 4, 5, 6}, DType::kF32), bytes_of<int64_t>({-1, 0, -3})});
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(decode(*result, DType::kF32), ElementsAre(3, 1, 1, 6, 4, 4));
}

TEST(Reference, GatherOutOfRangeIsAnErrorWithIndexAndBounds) {
  for (const int32_t index : {3, -4}) {
    const GatherProblem p{DType::kF32, DType::kI32, 1, 3, 1, 2};
    const auto result =
        run_reference(p, {encode({1, 2, 3}, DType::kF32), bytes_of<int32_t>({0, index})});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(result.status().message(),
                HasSubstr("index " + std::to_string(index) + " at position 1 is not in [-3, 3)"));
  }
}

TEST(Reference, ReorderToBlocksPadsWithZeros) {
  const ReorderProblem p{DType::kF32, 1, 2, 1, 2, Layout::kRowMajor, Layout::kNChw8c};
  EXPECT_THAT(run(p, {{1, 2, 3, 4}}), ElementsAre(1, 3, 0, 0, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0, 0, 0));
  const ReorderProblem back{DType::kF32, 1, 2, 1, 2, Layout::kNChw8c, Layout::kNHWC};
  EXPECT_THAT(run(back, {{1, 3, 0, 0, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0, 0, 0}}),
              ElementsAre(1, 3, 2, 4));
}

TEST(Reference, ImageIsTheFormulaInFloat32) {
  ImageProblem p;
  p.N = 1, p.H = 1, p.W = 2, p.C = 3;
  p.scale = 1.0f / 255.0f;
  p.mean = {0.485f, 0.456f, 0.406f};
  p.std = {0.229f, 0.224f, 0.225f};
  const auto result = run_reference(p, {bytes_of<uint8_t>({0, 128, 255, 10, 20, 30})});
  ASSERT_TRUE(result.ok());
  const auto normalized = [&](float pixel, size_t c) {
    volatile float scaled = pixel * p.scale;  // no fused multiply-add
    return (scaled - p.mean[c]) / p.std[c];
  };
  EXPECT_THAT(decode(*result, DType::kF32),
              ElementsAre(normalized(0, 0), normalized(10, 0), normalized(128, 1),
                          normalized(20, 1), normalized(255, 2), normalized(30, 2)));
}

}  // namespace
}  // namespace tessera::testing
