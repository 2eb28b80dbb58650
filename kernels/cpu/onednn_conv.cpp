// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "core/math.h"
#include "kernels/cpu/epilogue.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/primitive.h"
#include "kernels/reference/layout_offset.h"

namespace tessera::cpu {
namespace {

using dnnl::convolution_forward;
constexpr auto kF32 = dnnl::memory::data_type::f32;
using Tag = dnnl::memory::format_tag;

// Our weights: (K, C / groups, R, S), which with groups oneDNN sees as one dimension more.
Dims weights_dims(const ConvProblem& p) {
  if (p.groups == 1) return {p.K, p.C, p.R, p.S};
  return {p.groups, p.K / p.groups, p.C / p.groups, p.R, p.S};
}

MemoryDesc plain_weights(const ConvProblem& p) {
  return {weights_dims(p), kF32, p.groups == 1 ? Tag::oihw : Tag::goihw};
}

// The weights in whatever format oneDNN likes best.
ConvDescs conv_descs(const ConvProblem& p, const MemoryDesc& src, const MemoryDesc& dst) {
  ConvDescs descs;
  descs.src = src;
  descs.weights = MemoryDesc(weights_dims(p), kF32, Tag::any);
  if (p.epilogue.has_bias) descs.bias = MemoryDesc({p.K}, kF32, Tag::a);
  descs.dst = dst;
  descs.strides = {p.stride_h, p.stride_w};
  descs.dilates = {p.dilation_h - 1, p.dilation_w - 1};  // oneDNN counts the cells left out
  descs.pads_begin = {p.pad_top, p.pad_left};
  descs.pads_end = {p.pad_bottom, p.pad_right};
  return descs;
}

Dims src_dims(const ConvProblem& p) { return {p.N, p.C, p.H, p.W}; }
Dims dst_dims(const ConvProblem& p) { return {p.N, p.K, p.P, p.Q}; }

convolution_forward::primitive_desc make_desc(const ConvProblem& p, const EpilogueSplit& epilogue) {
  dnnl::primitive_attr attributes = onednn_attributes();
  attributes.set_post_ops(epilogue.post_ops);
  return make_conv_primitive_desc(
      onednn_engine(),
      conv_descs(p, image_desc(p.src_layout, src_dims(p)), image_desc(p.dst_layout, dst_dims(p))),
      attributes);
}

EpilogueSplit split(const ConvProblem& p) {
  return split_epilogue(p.epilogue, image_desc(p.dst_layout, dst_dims(p)));
}

Support supports(const Problem& problem, const DeviceInfo&) {
  const auto& p = std::get<ConvProblem>(problem);
  if (Support f32 = supports_f32(p.dtype); !f32.ok()) return f32;
  return onednn_has_implementation([&] { return make_desc(p, split(p)); });
}

class OnednnConv final : public Kernel {
 public:
  // Throws dnnl::error.
  explicit OnednnConv(const ConvProblem& problem) : problem_(problem), epilogue_(split(problem)) {
    const auto desc = make_desc(problem, epilogue_);
    conv_ = BoundPrimitive(convolution_forward(desc), desc, arguments());
    weights_bytes_ = desc.weights_desc().get_size();
    const dnnl::reorder::primitive_desc reorder(onednn_engine(), plain_weights(problem),
                                                onednn_engine(), desc.weights_desc(),
                                                onednn_attributes());
    reorder_ = BoundPrimitive(dnnl::reorder(reorder), reorder, {DNNL_ARG_SRC, DNNL_ARG_DST});
  }

  [[nodiscard]] size_t workspace_bytes() const override {
    if (packed_weights_) return conv_.scratchpad_bytes();
    return packed_size() + std::max(conv_.scratchpad_bytes(), reorder_.scratchpad_bytes());
  }

  Result<std::vector<int>> pack_constants(std::span<const Tensor* const> constants) override {
    const Tensor* weights = constants[ConvProblem::kWeights];
    if (weights == nullptr) return std::vector<int>();
    TESSERA_ASSIGN_OR_RETURN(Buffer packed, allocate_host_buffer(weights_bytes_));
    TESSERA_ASSIGN_OR_RETURN(const Buffer scratch,
                             allocate_host_buffer(reorder_.scratchpad_bytes()));
    return catch_onednn([&]() -> Result<std::vector<int>> {
      reorder_.execute({{DNNL_ARG_SRC, weights->data()}, {DNNL_ARG_DST, packed.data()}},
                       scratch.data());
      packed_weights_ = std::move(packed);
      return std::vector<int>{ConvProblem::kWeights};
    });
  }

  Status launch(const Operands& operands, Stream&) override {
    return catch_onednn([&]() -> Status {
      run(operands);
      return {};
    });
  }

 private:
  [[nodiscard]] std::vector<int> arguments() const {
    std::vector<int> list = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    if (problem_.epilogue.has_bias) list.push_back(DNNL_ARG_BIAS);
    if (epilogue_.fused_residual) list.push_back(EpilogueSplit::kResidualArgument);
    return list;
  }

  // The workspace holds the reordered weights first, then the scratchpad of either primitive.
  [[nodiscard]] size_t packed_size() const {
    constexpr size_t kAlignment = 256;
    return round_up(weights_bytes_, kAlignment);
  }

  void run(const Operands& operands) {
    const void* weights = packed_weights_ ? packed_weights_->data() : operands.workspace;
    void* scratchpad = operands.workspace;
    if (!packed_weights_) {
      scratchpad = static_cast<std::byte*>(operands.workspace) + packed_size();
      reorder_.execute(
          {{DNNL_ARG_SRC, operands.inputs[ConvProblem::kWeights]}, {DNNL_ARG_DST, weights}},
          scratchpad);
    }
    const void* residual = operands.inputs[ConvProblem::kResidual];
    std::vector<std::pair<int, const void*>> pointers = {
        {DNNL_ARG_SRC, operands.inputs[ConvProblem::kSrc]},
        {DNNL_ARG_WEIGHTS, weights},
        {DNNL_ARG_DST, operands.output}};
    if (problem_.epilogue.has_bias) {
      pointers.emplace_back(DNNL_ARG_BIAS, operands.inputs[ConvProblem::kBias]);
    }
    if (epilogue_.fused_residual) {
      pointers.emplace_back(EpilogueSplit::kResidualArgument, residual);
    }
    conv_.execute(pointers, scratchpad);
    finish(static_cast<const float*>(residual), static_cast<float*>(operands.output));
  }

  // What oneDNN leaves undone: some activations, and zeros in the channel padding, into which a NaN
  // of the source spreads through the padding of the weights.
  void finish(const float* residual, float* dst) const {
    const ConvProblem& p = problem_;
    const reference::ImageTensor tensor{p.dst_layout, p.N, p.K, p.P, p.Q};
    if (epilogue_.own_pass) {
      const int64_t elements = p.N * tensor.padded_channels() * p.P * p.Q;
      apply_epilogue(p.epilogue.activation, p.epilogue.has_residual ? residual : nullptr, dst,
                     {1, elements, elements});
    }
    reference::zero_channel_padding(dst, tensor);
  }

  ConvProblem problem_;
  EpilogueSplit epilogue_;
  BoundPrimitive conv_;
  BoundPrimitive reorder_;  // of the weights
  size_t weights_bytes_ = 0;
  std::optional<Buffer> packed_weights_;
};

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device&) {
  return catch_onednn([&]() -> Result<std::unique_ptr<Kernel>> {
    return std::unique_ptr<Kernel>(std::make_unique<OnednnConv>(std::get<ConvProblem>(problem)));
  });
}

// Ours for oneDNN's format; nothing for a format that we do not have.
std::optional<Layout> layout_of(const MemoryDesc& desc, const Dims& dims) {
  for (const Layout layout :
       {Layout::kRowMajor, Layout::kNHWC, Layout::kNChw8c, Layout::kNChw16c}) {
    if (desc == image_desc(layout, dims)) return layout;
  }
  return std::nullopt;
}

// The layouts that oneDNN fills in where `src` and `dst` leave them open, if it has more than its
// slow fallback ("ref") for them: with one channel it may name a format whose twin of the same
// bytes is the one that it is good at.
std::optional<LayoutPreference> ask_for_layouts(const ConvProblem& p, const MemoryDesc& src,
                                                const MemoryDesc& dst) {
  try {
    const auto desc =
        make_conv_primitive_desc(onednn_engine(), conv_descs(p, src, dst), onednn_attributes());
    ConvProblem chosen = p;
    const auto src_layout = layout_of(desc.src_desc(), src_dims(p));
    const auto dst_layout = layout_of(desc.dst_desc(), dst_dims(p));
    if (!src_layout || !dst_layout) return std::nullopt;
    chosen.src_layout = *src_layout;
    chosen.dst_layout = *dst_layout;
    const std::string implementation = make_desc(chosen, split(chosen)).impl_info_str();
    if (implementation.starts_with("ref")) return std::nullopt;
    return LayoutPreference{*src_layout, *dst_layout};
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}

// What oneDNN chooses when nothing is prescribed. The first layer of a network reads its few
// channels as they come: oneDNN has kernels for that, and the reorder is saved.
LayoutPreference prefer_layouts(const Problem& problem, const DeviceInfo&) {
  constexpr int64_t kFewChannels = 4;
  const auto& p = std::get<ConvProblem>(problem);
  const MemoryDesc any_src(src_dims(p), kF32, Tag::any);
  const MemoryDesc any_dst(dst_dims(p), kF32, Tag::any);
  const MemoryDesc plain_src = image_desc(Layout::kRowMajor, src_dims(p));
  if (p.C <= kFewChannels) {
    if (const auto wish = ask_for_layouts(p, plain_src, any_dst)) return *wish;
  }
  if (const auto wish = ask_for_layouts(p, any_src, any_dst)) return *wish;
  for (const Layout layout : {Layout::kNHWC, Layout::kRowMajor}) {
    const auto wish =
        ask_for_layouts(p, image_desc(layout, src_dims(p)), image_desc(layout, dst_dims(p)));
    if (wish) return *wish;
  }
  return {p.src_layout, p.dst_layout};
}

}  // namespace

constinit const KernelEntry onednn_conv = {
    "onednn_conv",
    ConvProblem::kFamily,
    "oneDNN direct convolution with weights packed for the processor",
    supports,
    create,
    prefer_layouts};

}  // namespace tessera::cpu
