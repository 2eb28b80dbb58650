// SPDX-License-Identifier: Apache-2.0
// unary: dst[i] = activation(src[i]), in vectors of 16 bytes. dst may be src.
//
//   operands  float32, float16, bfloat16; any count
//   alignment that of the element; 16 bytes for the vectors, otherwise one by one
//   deterministic
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/epilogue.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/elementwise.h"

namespace tessera::cuda {
namespace {

template <typename T, ActivationKind kActivation>
struct UnaryMap {
  static constexpr int kElements = kVectorElements<T>;
  using Loaded = Vector<T, kElements>;

  const T* src;
  T* dst;
  Activation activation;

  __device__ Loaded load(int64_t first) const { return load_vector<kElements>(src + first); }
  __device__ void store(int64_t first, Loaded x) const {
#pragma unroll
    for (int i = 0; i < kElements; ++i) x.element[i] = apply(x.element[i]);
    store_vector<kElements>(dst + first, x);
  }
  __device__ void one(int64_t i) const { dst[i] = apply(src[i]); }
  __device__ T apply(T x) const {
    return from_float<T>(activate<kActivation>(to_float(x), activation));
  }
};

Support supports(const UnaryProblem& problem, const DeviceInfo&) {
  return support_float(problem.dtype);
}

Status launch_unary(const UnaryProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return dispatch_activation(problem.activation.kind, [&]<ActivationKind kActivation>() {
      const UnaryMap<T, kActivation> map = {input<T>(operands, UnaryProblem::kSrc),
                                            output<T>(operands), problem.activation};
      return launch_map(map, are_aligned(kVectorBytes, map.src, map.dst), problem.count, stream);
    });
  });
}

}  // namespace

const KernelEntry unary_entry = stateless_kernel_entry<UnaryProblem, supports, launch_unary>(
    "unary", "four vectors of 16 bytes per thread");

}  // namespace tessera::cuda
