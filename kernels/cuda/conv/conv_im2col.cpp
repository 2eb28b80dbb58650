// SPDX-License-Identifier: Apache-2.0
// conv_im2col/GEMM: dst = activation(conv(src, weights) + bias + residual) by writing out what each
// output multiplies, and a matrix product by the kernel GEMM, with its epilogue:
//
//   D[n] (K, P*Q) = weights (K, C*R*S) * columns[n] (C*R*S, P*Q)
//
// Filters of 1 x 1 with stride 1 need no columns: src is them. With groups, or more columns than
// fit, there are several products.
//
//   operands  what GEMM takes; src NCHW or NHWC, dst NCHW
//   workspace the columns, at most 256 MB, and that of GEMM
//   sum       that of GEMM, k in the order c, r, s
#include "kernels/cuda/conv/conv_im2col.h"

#include <algorithm>
#include <iterator>

#include "core/math.h"
#include "kernels/cuda/conv/im2col.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

constexpr int64_t kWorkspaceBytes = int64_t{256} << 20;
constexpr int64_t kAlignment = 256;

bool needs_columns(const ConvProblem& p) {
  const bool same_extent = p.P == p.H && p.Q == p.W;
  const bool unpadded = p.pad_top == 0 && p.pad_left == 0;
  return p.R != 1 || p.S != 1 || p.stride_h != 1 || p.stride_w != 1 || !same_extent || !unpadded ||
         p.src_layout != Layout::kRowMajor;
}

int64_t element_bytes(const ConvProblem& p) {
  return static_cast<int64_t>(dtype_size_bytes(p.dtype));
}

// Of one image.
int64_t column_bytes(const ConvProblem& p) {
  return p.C * p.R * p.S * p.P * p.Q * element_bytes(p);
}

int64_t images_per_pass(const ConvProblem& p) {
  const int64_t fit =
      needs_columns(p) ? kWorkspaceBytes / std::max<int64_t>(column_bytes(p), 1) : p.N;
  return std::clamp<int64_t>(fit, 1, std::max<int64_t>(p.N, 1));
}

// Images that one product computes: with groups the results of two images do not follow each other.
int64_t images_per_product(const ConvProblem& p) { return p.groups == 1 ? images_per_pass(p) : 1; }

GemmProblem product_of(const ConvProblem& p, int64_t images) {
  GemmProblem gemm;
  gemm.dtype = p.dtype;
  gemm.allow_tf32 = p.allow_tf32;
  gemm.M = p.K / p.groups;
  gemm.N = p.P * p.Q;
  gemm.K = p.C / p.groups * p.R * p.S;
  gemm.lda = gemm.K;
  gemm.ldb = gemm.ldd = gemm.N;
  gemm.bias_stride_m = 1;
  gemm.bias_stride_n = 0;
  gemm.epilogue = p.epilogue;
  if (images != 1) {
    gemm.batch_rank = 1;
    gemm.batch_extent[0] = images;
    gemm.batch_stride_b[0] = gemm.K * gemm.N;
  }
  return gemm;
}

Support supports(const ConvProblem& p, const DeviceInfo& device, const KernelEntry& gemm) {
  if (!is_strided_layout(p.src_layout)) return support_strided_layout(p.src_layout);
  if (p.dst_layout != Layout::kRowMajor) return Support::no("the layout of dst is not NCHW");
  if (needs_columns(p) && column_bytes(p) > kWorkspaceBytes) {
    return Support::no("the columns of an image take more than 256 MB");
  }
  return gemm.supports(product_of(p, images_per_product(p)), device);
}

const void* advance(const void* pointer, int64_t bytes) {
  return pointer == nullptr ? nullptr : static_cast<const std::byte*>(pointer) + bytes;
}

class ConvIm2col final : public Kernel {
 public:
  // `rest` computes the images that remain after the last whole product; null where none do.
  ConvIm2col(const ConvProblem& problem, std::unique_ptr<Kernel> whole,
             std::unique_ptr<Kernel> rest)
      : problem_(problem), whole_(std::move(whole)), rest_(std::move(rest)) {
    if (needs_columns(problem)) {
      columns_bytes_ = round_up(images_per_pass(problem) * column_bytes(problem), kAlignment);
    }
  }

  [[nodiscard]] size_t workspace_bytes() const override {
    const size_t rest = rest_ == nullptr ? 0 : rest_->workspace_bytes();
    return static_cast<size_t>(columns_bytes_) + std::max(whole_->workspace_bytes(), rest);
  }

  Status launch(const Operands& operands, Stream& stream) override {
    const int64_t step = images_per_pass(problem_);
    for (int64_t first = 0; first < problem_.N; first += step) {
      TESSERA_RETURN_IF_ERROR(
          run_pass(first, std::min(step, problem_.N - first), operands, stream));
    }
    return {};
  }

 private:
  Status run_pass(int64_t first, int64_t images, const Operands& operands, Stream& stream) {
    const ConvProblem& p = problem_;
    const void* columns = advance(input<void>(operands, ConvProblem::kSrc),
                                  first * p.C * p.H * p.W * element_bytes(p));
    if (needs_columns(p)) {
      TESSERA_RETURN_IF_ERROR(launch_im2col(
          p, first, images, input<void>(operands, ConvProblem::kSrc), operands.workspace, stream));
      columns = operands.workspace;
    }
    const int64_t step = images_per_product(p);
    for (int64_t n = 0; n < images; n += step) {
      Kernel& product = images - n < step ? *rest_ : *whole_;
      for (int64_t group = 0; group < p.groups; ++group) {
        const void* g_columns = advance(
            columns, (n * p.groups + group) * column_bytes(p) / std::max<int64_t>(p.groups, 1));
        TESSERA_RETURN_IF_ERROR(multiply(product, first + n, group, g_columns, operands, stream));
      }
    }
    return {};
  }

  Status multiply(Kernel& product, int64_t image, int64_t group, const void* columns,
                  const Operands& operands, Stream& stream) const {
    const ConvProblem& p = problem_;
    const int64_t group_k = p.K / p.groups;
    const int64_t k = image * p.K + group * group_k;
    const int64_t dst = k * p.P * p.Q * element_bytes(p);
    const int64_t weights = group * group_k * (p.C / p.groups) * p.R * p.S * element_bytes(p);
    const void* inputs[] = {
        advance(input<void>(operands, ConvProblem::kWeights), weights), columns,
        advance(input<void>(operands, ConvProblem::kBias), group * group_k * element_bytes(p)),
        advance(input<void>(operands, ConvProblem::kResidual), dst)};
    auto* workspace = static_cast<std::byte*>(operands.workspace) + columns_bytes_;
    return product.launch({inputs, static_cast<std::byte*>(operands.output) + dst, workspace},
                          stream);
  }

  ConvProblem problem_;
  std::unique_ptr<Kernel> whole_;
  std::unique_ptr<Kernel> rest_;
  int64_t columns_bytes_ = 0;
};

Result<std::unique_ptr<Kernel>> create(const ConvProblem& p, Device& device,
                                       const KernelEntry& gemm) {
  const int64_t images = images_per_product(p);
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> whole,
                           gemm.create(product_of(p, images), device));
  std::unique_ptr<Kernel> rest;
  if (p.N % images != 0) {
    TESSERA_ASSIGN_OR_RETURN(rest, gemm.create(product_of(p, p.N % images), device));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<ConvIm2col>(p, std::move(whole), std::move(rest)));
}

// The row that multiplies with kGemm.
template <const KernelEntry& kGemm>
constexpr KernelEntry im2col_entry(std::string_view name) {
  return {name, ConvProblem::kFamily, "what each output multiplies written out, then this GEMM",
          [](const Problem& problem, const DeviceInfo& device) {
            return supports(std::get<ConvProblem>(problem), device, kGemm);
          },
          [](const Problem& problem, Device& device) {
            return create(std::get<ConvProblem>(problem), device, kGemm);
          }};
}

}  // namespace

std::vector<const KernelEntry*> conv_im2col_entries() {
  static constexpr KernelEntry kEntries[] = {
#define TESSERA_KERNEL(name) im2col_entry<name##_entry>("conv_im2col/" #name),
#include "kernels/cuda/kernels.inc"
#undef TESSERA_KERNEL
  };
  static constexpr const KernelEntry* kKernels[] = {
#define TESSERA_KERNEL(name) &name##_entry,
#include "kernels/cuda/kernels.inc"
#undef TESSERA_KERNEL
  };
  std::vector<const KernelEntry*> entries;
  for (size_t i = 0; i < std::size(kKernels); ++i) {
    if (kKernels[i]->family == GemmProblem::kFamily) entries.push_back(&kEntries[i]);
  }
  return entries;
}

}  // namespace tessera::cuda
