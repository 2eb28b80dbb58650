// SPDX-License-Identifier: Apache-2.0
// binary: dst = a (op) b with broadcasting. Where rows of dst and of the operands are whole vectors
// of 16 bytes, a thread computes vectors and finds its place once for each; otherwise element by
// element. dst may be an operand that is not broadcast.
//
//   operands  float32, float16, bfloat16, int32 or int64, rank <= 8, any strides (0 where
//   broadcast) alignment that of the element; 16 bytes for the vectors integers  wrap around on
//   overflow; division truncates towards zero, by zero it gives 0 deterministic
#include <algorithm>

#include "kernels/cuda/divider.cuh"
#include "kernels/cuda/elementwise/binary_apply.cuh"
#include "kernels/cuda/elementwise/broadcast.h"
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// The axes of dst, innermost first; the innermost is counted in vectors.
template <typename Index>
struct Axes {
  int rank = 0;
  Divider<Index> extent[BinaryProblem::kMaxRank];
  Index stride_a[BinaryProblem::kMaxRank] = {};
  Index stride_b[BinaryProblem::kMaxRank] = {};
};

template <typename T, int kCount, typename Index>
struct BinaryMap {
  static constexpr int kElements = kCount;
  using Elements = Vector<T, kCount>;
  struct Loaded {
    Elements a, b;
  };

  const T* a;
  const T* b;
  T* dst;
  Axes<Index> axes;
  BinaryKind kind;

  __device__ Loaded load(int64_t first) const {
    auto rest = static_cast<Index>(first / kCount);
    Index offset_a = 0;
    Index offset_b = 0;
#pragma unroll
    for (int axis = 0; axis < BinaryProblem::kMaxRank; ++axis) {
      if (axis == axes.rank) break;
      const auto [quotient, index] = axes.extent[axis].divide(rest);
      offset_a += index * axes.stride_a[axis];
      offset_b += index * axes.stride_b[axis];
      rest = quotient;
    }
    return {load_operand(a + offset_a, axes.stride_a[0]),
            load_operand(b + offset_b, axes.stride_b[0])};
  }
  __device__ void store(int64_t first, const Loaded& loaded) const {
    store_vector<kCount>(dst + first, apply(kind, loaded.a, loaded.b));
  }
  __device__ void one(int64_t i) const {
    if constexpr (kCount == 1) store(i, load(i));
  }
  __device__ static Elements load_operand(const T* g_src, Index innermost_stride) {
    if (kCount > 1 && innermost_stride == 0) return splat<kCount>(*g_src);
    return load_vector<kCount>(g_src);
  }
};

template <typename Index>
Axes<Index> axes_of(const BinaryProblem& p, int vector) {
  Axes<Index> axes;
  axes.rank = p.rank;
  for (int i = 0; i < p.rank; ++i) {
    const int axis = p.rank - 1 - i;
    const int unit = i == 0 ? vector : 1;
    axes.extent[i] = Divider<Index>(p.extent[axis] / unit);
    axes.stride_a[i] = static_cast<Index>(p.stride_a[axis] * unit);
    axes.stride_b[i] = static_cast<Index>(p.stride_b[axis] * unit);
  }
  return axes;
}

// Whether every vector of `vector` elements of dst lies in one row, and the operand's elements for
// it are an aligned vector or one number.
bool has_vector_rows(const BinaryProblem& p,
                     const std::array<int64_t, BinaryProblem::kMaxRank>& strides, int vector) {
  const int innermost = p.rank - 1;
  if (p.extent[innermost] % vector != 0 || strides[innermost] > 1) return false;
  const auto whole = [vector](int64_t stride) { return stride % vector == 0; };
  return strides[innermost] == 0 ||
         std::all_of(strides.begin(), strides.begin() + innermost, whole);
}

template <typename T, int kCount>
Status launch_vectors(const BinaryProblem& p, const Operands& operands, Stream& stream) {
  const int64_t count = p.count();
  const int64_t span = std::max({count, operand_span(p, p.stride_a), operand_span(p, p.stride_b)});
  return dispatch_index(span, [&]<typename Index>() {
    const BinaryMap<T, kCount, Index> map = {
        input<T>(operands, BinaryProblem::kA), input<T>(operands, BinaryProblem::kB),
        output<T>(operands), axes_of<Index>(p, kCount), p.kind};
    return launch_map(map, true, count, stream);
  });
}

Support supports(const BinaryProblem& problem, const DeviceInfo&) {
  return support_binary(problem.dtype);
}

Status launch_binary(const BinaryProblem& problem, const Operands& operands, Stream& stream) {
  if (problem.count() == 0) return {};
  const BinaryProblem p = collapse(problem);
  return dispatch_binary_type(problem.dtype, [&]<typename T>() {
    constexpr int kCount = kVectorElements<T>;
    const bool vectors = p.rank > 0 && has_vector_rows(p, p.stride_a, kCount) &&
                         has_vector_rows(p, p.stride_b, kCount) &&
                         are_aligned(kVectorBytes, input<T>(operands, BinaryProblem::kA),
                                     input<T>(operands, BinaryProblem::kB), output<T>(operands));
    return vectors ? launch_vectors<T, kCount>(p, operands, stream)
                   : launch_vectors<T, 1>(p, operands, stream);
  });
}

}  // namespace

const KernelEntry binary_entry = stateless_kernel_entry<BinaryProblem, supports, launch_binary>(
    "binary", "operands by their strides, in vectors where the rows are whole vectors");

}  // namespace tessera::cuda
