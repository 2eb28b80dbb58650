// SPDX-License-Identifier: Apache-2.0
// batch_norm: dst[n, c, i] = (src[n, c, i] - mean[c]) * (scale[c] / sqrt(variance[c] + epsilon)) +
// bias[c], in vectors of 16 bytes. dst may be src.
//
//   operands  float32, float16 or bfloat16, row-major (N, C, inner), parameters (C)
//   alignment that of the element; 16 bytes for the vectors, otherwise one by one
//   deterministic
#include "kernels/cuda/divider.cuh"
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/batch_norm.h"

namespace tessera::cuda {
namespace {

template <typename T>
struct Parameters {
  const T* scale;
  const T* bias;
  const T* mean;
  const T* variance;
  float epsilon;
};

// kOneChannel: inner is a multiple of the vector, so that the elements of a vector share a channel.
template <typename T, typename Index, bool kOneChannel>
struct BatchNormMap {
  static constexpr int kElements = kVectorElements<T>;
  using Loaded = Vector<T, kElements>;
  struct Channel {
    float mean, factor, bias;
    __device__ T apply(T x) const { return from_float<T>((to_float(x) - mean) * factor + bias); }
  };

  const T* src;
  T* dst;
  Parameters<T> parameters;
  Divider<Index> inner;
  Divider<Index> C;

  __device__ Loaded load(int64_t first) const { return load_vector<kElements>(src + first); }
  __device__ void store(int64_t first, Loaded x) const {
    Channel channel = channel_of(first);
#pragma unroll
    for (int i = 0; i < kElements; ++i) {
      if (!kOneChannel && i > 0) channel = channel_of(first + i);
      x.element[i] = channel.apply(x.element[i]);
    }
    store_vector<kElements>(dst + first, x);
  }
  __device__ void one(int64_t i) const { dst[i] = channel_of(i).apply(src[i]); }

  __device__ Channel channel_of(int64_t i) const {
    const Index row = inner.divide(static_cast<Index>(i)).quotient;  // n * C + c
    const Index c = C.divide(row).remainder;
    const float deviation = sqrtf(to_float(parameters.variance[c]) + parameters.epsilon);
    return {to_float(parameters.mean[c]), to_float(parameters.scale[c]) / deviation,
            to_float(parameters.bias[c])};
  }
};

template <typename T, typename Index, bool kOneChannel>
Status launch_with(const BatchNormProblem& problem, const Operands& operands, Stream& stream) {
  const BatchNormMap<T, Index, kOneChannel> map = {
      input<T>(operands, BatchNormProblem::kSrc),
      output<T>(operands),
      {input<T>(operands, BatchNormProblem::kScale), input<T>(operands, BatchNormProblem::kBias),
       input<T>(operands, BatchNormProblem::kMean), input<T>(operands, BatchNormProblem::kVariance),
       problem.epsilon},
      Divider<Index>(problem.inner),
      Divider<Index>(problem.C)};
  return launch_map(map, are_aligned(kVectorBytes, map.src, map.dst),
                    problem.N * problem.C * problem.inner, stream);
}

Support supports(const BatchNormProblem& problem, const DeviceInfo&) {
  return support_float(problem.dtype);
}

Status launch_batch_norm(const BatchNormProblem& problem, const Operands& operands,
                         Stream& stream) {
  const int64_t count = problem.N * problem.C * problem.inner;
  if (count == 0) return {};
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return dispatch_index(count, [&]<typename Index>() {
      return problem.inner % kVectorElements<T> == 0
                 ? launch_with<T, Index, true>(problem, operands, stream)
                 : launch_with<T, Index, false>(problem, operands, stream);
    });
  });
}

}  // namespace

const KernelEntry batch_norm_entry =
    stateless_kernel_entry<BatchNormProblem, supports, launch_batch_norm>(
        "batch_norm", "four vectors of 16 bytes per thread");

}  // namespace tessera::cuda
