// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/kernel_problems.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/nearest.h"

namespace tessera::cli {
namespace {

using Problems = std::vector<NamedProblem>;

// What all generators get.
struct Request {
  const KernelProblemOptions& options;
  DType dtype;
  bool allow_tf32;

  // Elements of an array of the requested size.
  [[nodiscard]] int64_t elements(DType of) const {
    return std::max<int64_t>(1, static_cast<int64_t>(options.array_bytes / dtype_size_bytes(of)));
  }
  // Samples of `per_sample` elements in such an array.
  [[nodiscard]] int64_t samples(int64_t per_sample) const {
    return std::max<int64_t>(1, elements(dtype) / per_sample);
  }
};

Problems gemm(const Request& request) {
  std::vector<std::array<int64_t, 3>> shapes = request.options.shapes;
  for (const int64_t size : request.options.sizes) shapes.push_back({size, size, size});
  Problems problems;
  for (const auto& [m, n, k] : shapes) {
    GemmProblem p;
    p.dtype = request.dtype;
    p.allow_tf32 = request.allow_tf32;
    p.M = m;
    p.N = p.ldd = n;
    p.K = p.lda = k;
    p.transpose_b = request.options.transpose_b;
    p.ldb = p.transpose_b ? k : n;
    const std::string name =
        m == n && n == k ? std::to_string(m) : fmt::format("{}x{}x{}", m, n, k);
    problems.push_back({name, p});
  }
  return problems;
}

// One convolution of a square image with a square filter.
struct ConvShape {
  int64_t channels, image, filters, filter, stride, pad;
};

// The different convolutions of ResNet-18 at 224 x 224 (He et al. 2015, table 1), in the order of
// the network.
constexpr ConvShape kResNet18[] = {
    {3, 224, 64, 7, 2, 3},   {64, 56, 64, 3, 1, 1},   {64, 56, 128, 3, 2, 1},
    {64, 56, 128, 1, 2, 0},  {128, 28, 128, 3, 1, 1}, {128, 28, 256, 3, 2, 1},
    {128, 28, 256, 1, 2, 0}, {256, 14, 256, 3, 1, 1}, {256, 14, 512, 3, 2, 1},
    {256, 14, 512, 1, 2, 0}, {512, 7, 512, 3, 1, 1},
};

Problems conv(const Request& request) {
  Problems problems;
  for (const ConvShape& shape : kResNet18) {
    ConvProblem p;
    p.dtype = request.dtype;
    p.allow_tf32 = request.allow_tf32;
    p.N = request.options.batch;
    p.C = shape.channels;
    p.H = p.W = shape.image;
    p.K = shape.filters;
    p.R = p.S = shape.filter;
    p.stride_h = p.stride_w = shape.stride;
    p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = shape.pad;
    p.P = p.Q = (shape.image + 2 * shape.pad - shape.filter) / shape.stride + 1;
    // Every convolution of the network has a folded batch norm, most a ReLU.
    p.epilogue.has_bias = true;
    p.epilogue.activation.kind = ActivationKind::kRelu;
    problems.push_back({fmt::format("{}x{}/{} {}->{} at {}", shape.filter, shape.filter,
                                    shape.stride, shape.channels, shape.filters, shape.image),
                        p});
  }
  return problems;
}

PoolProblem pool_of(const Request& request, PoolKind kind, int64_t image, int64_t window,
                    int64_t stride, int64_t pad) {
  constexpr int64_t kChannels = 64;
  PoolProblem p;
  p.kind = kind;
  p.dtype = request.dtype;
  p.N = request.samples(kChannels * image * image);
  p.C = kChannels;
  p.H = p.W = image;
  p.R = p.S = window;
  p.stride_h = p.stride_w = stride;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = pad;
  p.P = p.Q = (image + 2 * pad - window) / stride + 1;
  return p;
}

Problems pool(const Request& request) {
  PoolProblem nhwc = pool_of(request, PoolKind::kMax, 112, 3, 2, 1);
  nhwc.layout = Layout::kNHWC;
  return {{"max 3x3/2 at 112", pool_of(request, PoolKind::kMax, 112, 3, 2, 1)},
          {"max 3x3/2 at 112 NHWC", nhwc},
          {"max 2x2/2 at 112", pool_of(request, PoolKind::kMax, 112, 2, 2, 0)},
          {"average 7x7 at 7", pool_of(request, PoolKind::kAverage, 7, 7, 1, 0)}};
}

Problems softmax(const Request& request) {
  Problems problems;
  for (const int64_t axis : {10, 128, 1000, 32768}) {
    SoftmaxProblem p;
    p.dtype = request.dtype;
    p.outer = request.samples(axis);
    p.axis = axis;
    p.inner = 1;
    problems.push_back({fmt::format("rows of {}", axis), p});
  }
  return problems;
}

Problems reduce(const Request& request) {
  const auto of = [&](ReduceKind kind, int64_t outer, int64_t axis, int64_t inner) {
    return ReduceProblem{kind, request.dtype, outer, axis, inner};
  };
  constexpr int64_t kColumns = 4096;
  return {{"sum of rows of 1000", of(ReduceKind::kSum, request.samples(1000), 1000, 1)},
          {"sum of rows of 32768", of(ReduceKind::kSum, request.samples(32768), 32768, 1)},
          {"sum of columns", of(ReduceKind::kSum, 1, request.samples(kColumns), kColumns)},
          {"max of all", of(ReduceKind::kMax, 1, request.elements(request.dtype), 1)}};
}

Problems unary(const Request& request) {
  Problems problems;
  for (const ActivationKind kind : {ActivationKind::kRelu, ActivationKind::kSigmoid}) {
    UnaryProblem p;
    p.dtype = request.dtype;
    p.count = request.elements(request.dtype);
    p.activation.kind = kind;
    problems.push_back({activation_name(kind), p});
  }
  return problems;
}

Problems binary(const Request& request) {
  BinaryProblem dense;
  dense.dtype = request.dtype;
  dense.rank = 1;
  dense.extent = {request.elements(request.dtype)};
  dense.stride_a = dense.stride_b = {1};
  constexpr int64_t kChannels = 64;
  constexpr int64_t kPixels = 56 * 56;
  BinaryProblem per_channel;
  per_channel.dtype = request.dtype;
  per_channel.rank = 3;
  per_channel.extent = {request.samples(kChannels * kPixels), kChannels, kPixels};
  per_channel.stride_a = {kChannels * kPixels, kPixels, 1};
  per_channel.stride_b = {0, 1, 0};
  return {{"add", dense}, {"add one per channel", per_channel}};
}

Problems cast(const Request& request) {
  const auto from_to = [&](DType from, DType to) {
    const bool narrows = dtype_size_bytes(from) >= dtype_size_bytes(to);
    return CastProblem{from, to, request.elements(narrows ? from : to)};
  };
  return {{"float32 to float16", from_to(DType::kF32, DType::kF16)},
          {"float16 to float32", from_to(DType::kF16, DType::kF32)},
          {"float32 to bfloat16", from_to(DType::kF32, DType::kBF16)},
          {"uint8 to float32", from_to(DType::kU8, DType::kF32)}};
}

Problems batch_norm(const Request& request) {
  BatchNormProblem p;
  p.dtype = request.dtype;
  p.C = 64;
  p.inner = int64_t{56} * 56;
  p.N = request.samples(p.C * p.inner);
  return {{"64 channels at 56", p}};
}

TransposeProblem transpose_of(DType dtype, const std::vector<int64_t>& extents,
                              const std::vector<int>& permutation) {
  TransposeProblem p;
  p.dtype = dtype;
  p.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), p.extent.begin());
  std::copy(permutation.begin(), permutation.end(), p.permutation.begin());
  return p;
}

Problems transpose(const Request& request) {
  constexpr int64_t kSide = 4096;
  const int64_t rows = request.samples(kSide);
  const int64_t images = request.samples(int64_t{64} * 56 * 56);
  return {{"matrix", transpose_of(request.dtype, {rows, kSide}, {1, 0})},
          {"NCHW to NHWC", transpose_of(request.dtype, {images, 64, 56, 56}, {0, 2, 3, 1})},
          {"outer axes", transpose_of(request.dtype, {images, 64, 56 * 56}, {1, 0, 2})}};
}

Problems reorder(const Request& request) {
  ReorderProblem p;
  p.dtype = request.dtype;
  p.C = 64;
  p.H = p.W = 56;
  p.N = request.samples(p.C * p.H * p.W);
  Problems problems;
  p.to = Layout::kNHWC;
  problems.push_back({"NCHW to NHWC, 64 channels", p});
  std::swap(p.from, p.to);
  problems.push_back({"NHWC to NCHW, 64 channels", p});
  return problems;
}

Problems image(const Request& request) {
  ImageProblem p;
  p.dtype = request.dtype;
  p.H = p.W = 224;
  p.C = 3;
  p.N = request.samples(p.H * p.W * p.C);
  p.scale = 1.0F / 255;
  p.mean = {0.485F, 0.456F, 0.406F};
  p.std = {0.229F, 0.224F, 0.225F, 1.0F};
  Problems problems = {{"224x224x3 to NCHW", p}};
  p.dst_layout = Layout::kNHWC;
  problems.push_back({"224x224x3 to NHWC", p});
  return problems;
}

struct Family {
  std::string_view name;
  Problems (*problems)(const Request& request);
};
constexpr Family kFamilies[] = {
    {GemmProblem::kFamily, gemm},
    {ConvProblem::kFamily, conv},
    {PoolProblem::kFamily, pool},
    {SoftmaxProblem::kFamily, softmax},
    {ReduceProblem::kFamily, reduce},
    {UnaryProblem::kFamily, unary},
    {BinaryProblem::kFamily, binary},
    {CastProblem::kFamily, cast},
    {BatchNormProblem::kFamily, batch_norm},
    {TransposeProblem::kFamily, transpose},
    {ReorderProblem::kFamily, reorder},
    {ImageProblem::kFamily, image},
};

// TF32 is what float32 products may be rounded to.
Result<DType> parse_dtype(const std::string& name) {
  if (name == "f32" || name == "tf32") return DType::kF32;
  if (name == "f16") return DType::kF16;
  if (name == "bf16") return DType::kBF16;
  return invalid_argument(fmt::format("--dtype {}: must be f32, tf32, f16 or bf16", name));
}

}  // namespace

std::vector<std::string> families_with_problems() {
  std::vector<std::string> names;
  for (const Family& family : kFamilies) names.emplace_back(family.name);
  return names;
}

bool is_memory_family(std::string_view family) {
  return family != GemmProblem::kFamily && family != ConvProblem::kFamily;
}

Result<std::vector<NamedProblem>> kernel_problems(const std::string& family,
                                                  const KernelProblemOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const DType dtype, parse_dtype(options.dtype));
  if (options.preset != "resnet18") {
    return invalid_argument(
        fmt::format("--preset {}: the only preset is resnet18", options.preset));
  }
  const bool allow_tf32 = options.dtype == "tf32";
  if (allow_tf32 && is_memory_family(family)) {
    return invalid_argument("--dtype tf32: only gemm and conv have products to round");
  }
  const auto* const found = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                         [&](const Family& f) { return f.name == family; });
  if (found != std::end(kFamilies)) return found->problems({options, dtype, allow_tf32});
  const std::vector<std::string> known = families_with_problems();
  const std::string nearest = nearest_word(family, known);
  return invalid_argument(
      nearest.empty()
          ? fmt::format("no kernels of '{}'; there are {}", family, fmt::join(known, ", "))
          : fmt::format("no kernels of '{}'; did you mean {}?", family, nearest));
}

}  // namespace tessera::cli
