// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/accuracy_grid.h"

#include <array>
#include <cmath>

#include "core/check.h"

namespace tessera {
namespace {

struct Precision {
  const char* name;
  DType dtype;
  bool allow_tf32;
};
constexpr Precision kPrecisions[] = {{"float32", DType::kF32, false},
                                     {"tf32", DType::kF32, true},
                                     {"float16", DType::kF16, false},
                                     {"bfloat16", DType::kBF16, false}};

struct NamedLayout {
  const char* name;
  Layout layout;
};
constexpr NamedLayout kLayouts[] = {{"NCHW", Layout::kRowMajor}, {"NHWC", Layout::kNHWC}};

std::vector<Problem> gemms(const Precision& precision) {
  constexpr std::array<int64_t, 3> kSizes[] = {
      {64, 64, 64},    {127, 129, 131}, {128, 128, 128}, {1, 1000, 512},  {31, 257, 1031},
      {255, 63, 65},   {2, 4099, 67},   {10, 8, 4096},   {129, 65, 511},  {256, 384, 64},
      {1000, 1, 1000}, {64, 10, 784},   {193, 211, 229}, {640, 511, 257},
  };
  std::vector<Problem> problems;
  for (const auto& [m, n, k] : kSizes) {
    for (const bool transpose_b : {false, true}) {
      GemmProblem p;
      p.dtype = precision.dtype;
      p.allow_tf32 = precision.allow_tf32;
      p.M = m, p.N = n, p.K = k;
      p.transpose_b = transpose_b;
      p.lda = k, p.ldb = transpose_b ? k : n, p.ldd = n;
      problems.emplace_back(p);
      p.epilogue = {true, true, {ActivationKind::kRelu, 0, 0}};
      problems.emplace_back(p);
    }
  }
  return problems;
}

// Extents, filters and geometry of a convolution: pads are top, left, bottom, right.
struct ConvShape {
  int64_t N, C, H, W, K, R, S;
  int64_t stride = 1;
  std::array<int64_t, 4> pads = {0, 0, 0, 0};
  int64_t dilation = 1;
  int64_t groups = 1;
};

constexpr ConvShape kConvShapes[] = {
    {2, 16, 14, 14, 32, 3, 3, 1, {1, 1, 1, 1}},         // the common case
    {1, 64, 28, 28, 64, 3, 3, 1, {1, 1, 1, 1}},         // long sums
    {2, 256, 7, 7, 128, 3, 3, 1, {1, 1, 1, 1}},         // longer ones, few positions
    {2, 3, 37, 41, 24, 7, 7, 2, {3, 3, 3, 3}},          // a network's first layer
    {3, 1, 28, 28, 6, 5, 5, 1, {2, 2, 2, 2}},           // one channel
    {2, 19, 13, 11, 23, 3, 3, 1, {1, 1, 1, 1}},         // primes
    {1, 127, 9, 7, 65, 3, 3},                           // around a tile
    {2, 128, 7, 9, 127, 1, 1},                          // pointwise
    {1, 64, 15, 15, 33, 1, 1, 2},                       // pointwise, strided
    {2, 8, 11, 14, 16, 3, 3, 1, {0, 2, 1, 0}},          // asymmetric pads
    {2, 8, 12, 13, 16, 3, 3, 2, {0, 0, 1, 1}},          // asymmetric pads, strided
    {1, 16, 20, 20, 8, 3, 3, 1, {2, 2, 2, 2}, 2},       // dilated
    {1, 16, 21, 19, 8, 3, 3, 2, {0, 0, 0, 0}, 3},       // dilated, strided
    {2, 32, 14, 14, 64, 3, 3, 1, {1, 1, 1, 1}, 1, 4},   // groups
    {2, 33, 10, 9, 33, 3, 3, 1, {1, 1, 1, 1}, 1, 33},   // depthwise
    {1, 32, 17, 17, 64, 5, 5, 2, {2, 2, 2, 2}, 1, 32},  // depthwise, two filters a channel
    {1, 8, 4, 4, 5, 4, 4},                              // one position
    {2, 8, 1, 50, 7, 1, 9},                             // one-dimensional
};

ConvProblem conv(const ConvShape& shape) {
  ConvProblem p;
  p.N = shape.N, p.C = shape.C, p.H = shape.H, p.W = shape.W;
  p.K = shape.K, p.R = shape.R, p.S = shape.S;
  p.stride_h = p.stride_w = shape.stride;
  p.dilation_h = p.dilation_w = shape.dilation;
  p.groups = shape.groups;
  p.pad_top = shape.pads[0], p.pad_left = shape.pads[1];
  p.pad_bottom = shape.pads[2], p.pad_right = shape.pads[3];
  const auto outputs = [&](int64_t extent, int64_t pads, int64_t taps) {
    return (extent + pads - (taps - 1) * shape.dilation - 1) / shape.stride + 1;
  };
  p.P = outputs(p.H, p.pad_top + p.pad_bottom, p.R);
  p.Q = outputs(p.W, p.pad_left + p.pad_right, p.S);
  return p;
}

std::vector<Problem> convs(const Precision& precision, Layout layout) {
  std::vector<Problem> problems;
  for (const ConvShape& shape : kConvShapes) {
    ConvProblem p = conv(shape);
    p.dtype = precision.dtype;
    p.allow_tf32 = precision.allow_tf32;
    p.src_layout = p.dst_layout = layout;
    problems.emplace_back(p);
    p.epilogue = {true, true, {ActivationKind::kRelu, 0, 0}};
    problems.emplace_back(p);
  }
  return problems;
}

std::vector<Problem> pools(PoolKind kind, DType dtype, Layout layout) {
  struct Window {
    int64_t H, W, R, S, stride, pad;
  };
  constexpr Window kWindows[] = {{14, 14, 2, 2, 2, 0}, {13, 11, 3, 3, 2, 1}, {7, 7, 7, 7, 1, 0},
                                 {9, 10, 3, 3, 1, 1},  {17, 19, 5, 3, 2, 1}, {1, 33, 1, 3, 2, 0},
                                 {28, 28, 3, 3, 2, 1}, {31, 1, 4, 1, 3, 0}};
  std::vector<Problem> problems;
  for (const Window& window : kWindows) {
    for (const int64_t channels : {1, 19, 64}) {
      PoolProblem p;
      p.kind = kind;
      p.dtype = dtype;
      p.layout = layout;
      p.N = 2, p.C = channels, p.H = window.H, p.W = window.W;
      p.R = window.R, p.S = window.S;
      p.stride_h = p.stride_w = window.stride;
      p.pad_top = p.pad_bottom = window.R > window.pad ? window.pad : 0;
      p.pad_left = p.pad_right = window.S > window.pad ? window.pad : 0;
      p.P = (p.H + 2 * p.pad_top - p.R) / window.stride + 1;
      p.Q = (p.W + 2 * p.pad_left - p.S) / window.stride + 1;
      problems.emplace_back(p);
      if (kind == PoolKind::kMax) continue;
      p.count_include_pad = true;
      problems.emplace_back(p);
    }
  }
  return problems;
}

std::vector<Problem> softmaxes(bool log, DType dtype) {
  constexpr std::array<int64_t, 3> kShapes[] = {
      {7, 1, 1},    {1000, 10, 1}, {64, 31, 1}, {65, 33, 1}, {5, 1000, 1}, {3, 1024, 1},
      {3, 1025, 1}, {1, 10000, 1}, {2, 10, 7},  {1, 21, 65}, {3, 33, 32},  {1, 1000, 3}};
  std::vector<Problem> problems;
  for (const auto& [outer, axis, inner] : kShapes) {
    problems.emplace_back(SoftmaxProblem{dtype, outer, axis, inner, log});
  }
  return problems;
}

// How many terms one result adds up.
int64_t summed_terms(const Problem& problem) {
  if (const auto* gemm = std::get_if<GemmProblem>(&problem)) return gemm->K;
  if (const auto* conv = std::get_if<ConvProblem>(&problem)) {
    return conv->C / conv->groups * conv->R * conv->S;
  }
  if (const auto* softmax = std::get_if<SoftmaxProblem>(&problem)) return softmax->axis;
  const auto& pool = std::get<PoolProblem>(problem);
  return pool.kind == PoolKind::kMax ? 0 : pool.R * pool.S;
}

}  // namespace

std::vector<AccuracyGroup> accuracy_grid() {
  std::vector<AccuracyGroup> grid;
  for (const Precision& precision : kPrecisions) {
    grid.push_back({"gemm", precision.name, "", gemms(precision)});
  }
  for (const Precision& precision : kPrecisions) {
    for (const NamedLayout& layout : kLayouts) {
      grid.push_back({"conv", precision.name, layout.name, convs(precision, layout.layout)});
    }
  }
  for (const auto& [operation, kind] :
       {std::pair{"pool max", PoolKind::kMax}, std::pair{"pool mean", PoolKind::kAverage}}) {
    for (const Precision& precision : kPrecisions) {
      if (precision.allow_tf32) continue;
      for (const NamedLayout& layout : kLayouts) {
        grid.push_back(
            {operation, precision.name, layout.name, pools(kind, precision.dtype, layout.layout)});
      }
    }
  }
  for (const bool log : {false, true}) {
    for (const Precision& precision : kPrecisions) {
      if (precision.allow_tf32) continue;
      grid.push_back(
          {log ? "log-softmax" : "softmax", precision.name, "", softmaxes(log, precision.dtype)});
    }
  }
  return grid;
}

double precision_roundoff(const std::string& precision) {
  if (precision == "float32") return std::ldexp(1.0, -24);
  if (precision == "bfloat16") return std::ldexp(1.0, -8);
  // Both have 10 bits after the leading one.
  TESSERA_CHECK(precision == "float16" || precision == "tf32");
  return std::ldexp(1.0, -11);
}

double rounding_allowance(const Problem& problem, const std::string& precision) {
  const int roundings = precision == "tf32" ? 2 : 1;  // both operands of each product
  return roundings * precision_roundoff(precision) +
         std::sqrt(static_cast<double>(summed_terms(problem))) * precision_roundoff("float32");
}

}  // namespace tessera
