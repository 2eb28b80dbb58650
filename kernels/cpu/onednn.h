// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

// The differences between oneDNN 2.6 and 3.x, and nothing else: 2.x builds a primitive descriptor
// from an operation descriptor, 3.x from the arguments themselves. All functions throw dnnl::error.
namespace tessera::cpu {

using MemoryDesc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

struct ConvDescs {
  MemoryDesc src, weights, bias, dst;  // bias: empty for none
  Dims strides, dilates, pads_begin, pads_end;
};

struct PoolDescs {
  MemoryDesc src, dst;
  Dims strides, window, dilates, pads_begin, pads_end;
};

#if DNNL_VERSION_MAJOR >= 3

using PoolPrimitive = dnnl::pooling_forward;
using SoftmaxPrimitive = dnnl::softmax_forward;

inline dnnl::convolution_forward::primitive_desc make_conv_primitive_desc(
    const dnnl::engine& engine, const ConvDescs& d, const dnnl::primitive_attr& attr) {
  return {engine,
          dnnl::prop_kind::forward_inference,
          dnnl::algorithm::convolution_direct,
          d.src,
          d.weights,
          d.bias,
          d.dst,
          d.strides,
          d.dilates,
          d.pads_begin,
          d.pads_end,
          attr};
}

inline PoolPrimitive::primitive_desc make_pool_primitive_desc(const dnnl::engine& engine,
                                                              dnnl::algorithm algorithm,
                                                              const PoolDescs& d,
                                                              const dnnl::primitive_attr& attr) {
  return {engine,       dnnl::prop_kind::forward_inference,
          algorithm,    d.src,
          d.dst,        d.strides,
          d.window,     d.dilates,
          d.pads_begin, d.pads_end,
          attr};
}

inline SoftmaxPrimitive::primitive_desc make_softmax_primitive_desc(
    const dnnl::engine& engine, const MemoryDesc& desc, int axis,
    const dnnl::primitive_attr& attr) {
  return {engine,
          dnnl::prop_kind::forward_inference,
          dnnl::algorithm::softmax_accurate,
          desc,
          desc,
          axis,
          attr};
}

inline dnnl::matmul::primitive_desc make_matmul_primitive_desc(
    const dnnl::engine& engine, const MemoryDesc& src, const MemoryDesc& weights,
    const MemoryDesc& bias, const MemoryDesc& dst, const dnnl::primitive_attr& attr) {
  return {engine, src, weights, bias, dst, attr};
}

inline dnnl::eltwise_forward::primitive_desc make_eltwise_primitive_desc(
    const dnnl::engine& engine, dnnl::algorithm algorithm, const MemoryDesc& desc, float alpha,
    float beta, const dnnl::primitive_attr& attr) {
  return {engine, dnnl::prop_kind::forward_inference, algorithm, desc, desc, alpha, beta, attr};
}

inline dnnl::binary::primitive_desc make_binary_primitive_desc(
    const dnnl::engine& engine, dnnl::algorithm algorithm, const MemoryDesc& a, const MemoryDesc& b,
    const MemoryDesc& dst, const dnnl::primitive_attr& attr) {
  return {engine, algorithm, a, b, dst, attr};
}

inline dnnl::batch_normalization_forward::primitive_desc make_batch_norm_primitive_desc(
    const dnnl::engine& engine, const MemoryDesc& desc, float epsilon,
    dnnl::normalization_flags flags, const dnnl::primitive_attr& attr) {
  return {engine, dnnl::prop_kind::forward_inference, desc, desc, epsilon, flags, attr};
}

inline dnnl::concat::primitive_desc make_concat_primitive_desc(const dnnl::engine& engine,
                                                               const MemoryDesc& dst, int axis,
                                                               const std::vector<MemoryDesc>& srcs,
                                                               const dnnl::primitive_attr& attr) {
  return {engine, dst, axis, srcs, attr};
}

inline void append_eltwise(dnnl::post_ops& post_ops, dnnl::algorithm algorithm, float alpha) {
  post_ops.append_eltwise(algorithm, alpha, 0.0f);
}

#else

using PoolPrimitive = dnnl::pooling_v2_forward;
using SoftmaxPrimitive = dnnl::softmax_v2_forward;

inline dnnl::convolution_forward::primitive_desc make_conv_primitive_desc(
    const dnnl::engine& engine, const ConvDescs& d, const dnnl::primitive_attr& attr) {
  const dnnl::convolution_forward::desc operation(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, d.src, d.weights,
      d.bias, d.dst, d.strides, d.dilates, d.pads_begin, d.pads_end);
  return {operation, attr, engine};
}

inline PoolPrimitive::primitive_desc make_pool_primitive_desc(const dnnl::engine& engine,
                                                              dnnl::algorithm algorithm,
                                                              const PoolDescs& d,
                                                              const dnnl::primitive_attr& attr) {
  const PoolPrimitive::desc operation(dnnl::prop_kind::forward_inference, algorithm, d.src, d.dst,
                                      d.strides, d.window, d.dilates, d.pads_begin, d.pads_end);
  return {operation, attr, engine};
}

inline SoftmaxPrimitive::primitive_desc make_softmax_primitive_desc(
    const dnnl::engine& engine, const MemoryDesc& desc, int axis,
    const dnnl::primitive_attr& attr) {
  const SoftmaxPrimitive::desc operation(dnnl::prop_kind::forward_inference,
                                         dnnl::algorithm::softmax_accurate, desc, desc, axis);
  return {operation, attr, engine};
}

inline dnnl::matmul::primitive_desc make_matmul_primitive_desc(
    const dnnl::engine& engine, const MemoryDesc& src, const MemoryDesc& weights,
    const MemoryDesc& bias, const MemoryDesc& dst, const dnnl::primitive_attr& attr) {
  return {dnnl::matmul::desc(src, weights, bias, dst), attr, engine};
}

inline dnnl::eltwise_forward::primitive_desc make_eltwise_primitive_desc(
    const dnnl::engine& engine, dnnl::algorithm algorithm, const MemoryDesc& desc, float alpha,
    float beta, const dnnl::primitive_attr& attr) {
  const dnnl::eltwise_forward::desc operation(dnnl::prop_kind::forward_inference, algorithm, desc,
                                              alpha, beta);
  return {operation, attr, engine};
}

inline dnnl::binary::primitive_desc make_binary_primitive_desc(
    const dnnl::engine& engine, dnnl::algorithm algorithm, const MemoryDesc& a, const MemoryDesc& b,
    const MemoryDesc& dst, const dnnl::primitive_attr& attr) {
  return {dnnl::binary::desc(algorithm, a, b, dst), attr, engine};
}

inline dnnl::batch_normalization_forward::primitive_desc make_batch_norm_primitive_desc(
    const dnnl::engine& engine, const MemoryDesc& desc, float epsilon,
    dnnl::normalization_flags flags, const dnnl::primitive_attr& attr) {
  const dnnl::batch_normalization_forward::desc operation(dnnl::prop_kind::forward_inference, desc,
                                                          epsilon, flags);
  return {operation, attr, engine};
}

inline dnnl::concat::primitive_desc make_concat_primitive_desc(const dnnl::engine& engine,
                                                               const MemoryDesc& dst, int axis,
                                                               const std::vector<MemoryDesc>& srcs,
                                                               const dnnl::primitive_attr& attr) {
  return {dst, axis, srcs, engine, attr};
}

inline void append_eltwise(dnnl::post_ops& post_ops, dnnl::algorithm algorithm, float alpha) {
  constexpr float kScale = 1.0f;
  post_ops.append_eltwise(kScale, algorithm, alpha, 0.0f);
}

#endif

}  // namespace tessera::cpu
