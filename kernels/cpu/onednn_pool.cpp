// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {
namespace {

// True when a window reaches past the padding, as the last one can with ceil_mode.
bool reaches_past_padding(int64_t extent, int64_t pads, int64_t window, int64_t dilation,
                          int64_t stride, int64_t outputs) {
  return (outputs - 1) * stride + (window - 1) * dilation + 1 > extent + pads;
}

Support check(const PoolProblem& p) {
  if (Support f32 = supports_f32(p.dtype); !f32.ok()) return f32;
  if (p.kind == PoolKind::kMax) {
    return Support::no("oneDNN's maximum drops NaN and turns -infinity into the lowest number");
  }
  if (p.dilation_h != 1 || p.dilation_w != 1) {
    return Support::no("the window is dilated, and may have no cell inside the input");
  }
  if (reaches_past_padding(p.H, p.pad_top + p.pad_bottom, p.R, p.dilation_h, p.stride_h, p.P) ||
      reaches_past_padding(p.W, p.pad_left + p.pad_right, p.S, p.dilation_w, p.stride_w, p.Q)) {
    return Support::no("a window reaches past the padding, whose cells oneDNN would count");
  }
  if (p.pad_top >= p.R || p.pad_left >= p.S || p.pad_bottom >= p.R || p.pad_right >= p.S) {
    return Support::no("the padding is as large as the window");
  }
  return Support::yes();
}

PoolPrimitive::primitive_desc make_desc(const PoolProblem& p) {
  PoolDescs descs;
  descs.src = image_desc(p.layout, {p.N, p.C, p.H, p.W});
  descs.dst = image_desc(p.layout, {p.N, p.C, p.P, p.Q});
  descs.strides = {p.stride_h, p.stride_w};
  descs.window = {p.R, p.S};
  descs.dilates = {0, 0};
  descs.pads_begin = {p.pad_top, p.pad_left};
  descs.pads_end = {p.pad_bottom, p.pad_right};
  const auto algorithm = p.count_include_pad ? dnnl::algorithm::pooling_avg_include_padding
                                             : dnnl::algorithm::pooling_avg_exclude_padding;
  return make_pool_primitive_desc(onednn_engine(), algorithm, descs, onednn_attributes());
}

}  // namespace

constinit const KernelEntry onednn_pool =
    primitive_kernel_entry<PoolProblem, PoolPrimitive, check, make_desc,
                           single_source<PoolProblem>>("onednn_pool", "oneDNN average pooling");

}  // namespace tessera::cpu
