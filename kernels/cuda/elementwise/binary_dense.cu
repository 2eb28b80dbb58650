// SPDX-License-Identifier: Apache-2.0
// binary_dense: dst[i] = a[i] (op) b[i] where each operand has the shape of dst or is one number,
// in vectors of 16 bytes. dst may be an operand of its shape.
//
//   operands  float32, float16, bfloat16, int32 or int64
//   alignment that of the element; 16 bytes for the vectors, otherwise one by one
//   integers  wrap around on overflow; division truncates towards zero, by zero it gives 0
//   deterministic
#include "kernels/cuda/elementwise/binary_apply.cuh"
#include "kernels/cuda/elementwise/broadcast.h"
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// Step 1: an operand of the shape of dst; step 0: one number.
template <typename T>
struct BinaryDenseMap {
  static constexpr int kElements = kVectorElements<T>;
  using Elements = Vector<T, kElements>;
  struct Loaded {
    Elements a, b;
  };

  const T* a;
  const T* b;
  T* dst;
  int step_a, step_b;
  BinaryKind kind;

  __device__ Loaded load(int64_t first) const {
    return {step_a == 0 ? splat<kElements>(a[0]) : load_vector<kElements>(a + first),
            step_b == 0 ? splat<kElements>(b[0]) : load_vector<kElements>(b + first)};
  }
  __device__ void store(int64_t first, const Loaded& loaded) const {
    store_vector<kElements>(dst + first, apply(kind, loaded.a, loaded.b));
  }
  __device__ void one(int64_t i) const {
    const Vector<T, 1> x = {a[i * step_a]};
    const Vector<T, 1> y = {b[i * step_b]};
    dst[i] = apply(kind, x, y).element[0];
  }
};

bool is_step(int64_t stride) { return stride == 0 || stride == 1; }

Support supports(const BinaryProblem& problem, const DeviceInfo&) {
  if (problem.count() > 0) {
    const BinaryProblem p = collapse(problem);
    if (p.rank > 1 || !is_step(p.stride_a[0]) || !is_step(p.stride_b[0])) {
      return Support::no("an operand has neither the shape of the result nor one element");
    }
  }
  return support_binary(problem.dtype);
}

Status launch_binary_dense(const BinaryProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t count = problem.count();
  if (count == 0) return {};
  const BinaryProblem p = collapse(problem);
  return dispatch_binary_type(problem.dtype, [&]<typename T>() {
    const BinaryDenseMap<T> map = {input<T>(operands, BinaryProblem::kA),
                                   input<T>(operands, BinaryProblem::kB),
                                   output<T>(operands),
                                   static_cast<int>(p.stride_a[0]),
                                   static_cast<int>(p.stride_b[0]),
                                   problem.kind};
    const bool aligned = are_aligned(kVectorBytes, map.dst, map.step_a == 0 ? nullptr : map.a,
                                     map.step_b == 0 ? nullptr : map.b);
    return launch_map(map, aligned, count, stream);
  });
}

}  // namespace

const KernelEntry binary_dense_entry =
    stateless_kernel_entry<BinaryProblem, supports, launch_binary_dense>(
        "binary_dense", "equal shapes or one number, four vectors of 16 bytes per thread");

}  // namespace tessera::cuda
