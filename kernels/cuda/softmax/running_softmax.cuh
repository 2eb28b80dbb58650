// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/reduce.cuh"

namespace tessera::cuda {

// Maximum m and sum of exp(x - m) of the elements seen so far, kept right as m grows (Milakov and
// Gimelshein, Online normalizer calculation for softmax, 2018). A NaN and +infinity make the sum
// NaN; -infinity adds nothing, so that a part of a row may be all -infinity.
struct RunningSoftmax {
  float max = Max::identity();
  float sum = 0.0f;

  // What is subtracted from the elements while the maximum is `max`: -infinity - -infinity is NaN.
  __device__ static float shift_of(float max) { return max == Max::identity() ? 0.0f : max; }

  // Takes in kCount elements for one rescaling of the sum.
  template <int kCount>
  __device__ __forceinline__ void add(const float (&x)[kCount]) {
    float new_max = max;
#pragma unroll
    for (int i = 0; i < kCount; ++i) new_max = fmaxf(new_max, x[i]);
    const float shift = shift_of(new_max);
    sum *= expf(max - shift);
#pragma unroll
    for (int i = 0; i < kCount; ++i) sum += expf(x[i] - shift);
    max = new_max;
  }
  // This sum as part of one whose maximum is `whole_max`.
  [[nodiscard]] __device__ __forceinline__ float sum_below(float whole_max) const {
    return sum * expf(max - shift_of(whole_max));
  }
};

}  // namespace tessera::cuda
