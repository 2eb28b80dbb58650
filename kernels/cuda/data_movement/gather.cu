// SPDX-License-Identifier: Apache-2.0
// gather: dst[o, j, i] = src[o, indices[j], i], one thread per element of dst.
//
//   operands  any dtype; indices int32 or int64, negative ones count from the end
//   alignment that of the element
//   an index out of range gives zeros
//   deterministic
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"

namespace tessera::cuda {
namespace {

template <typename T, typename Index>
__global__ void gather_kernel(const __grid_constant__ GatherProblem p, const T* src,
                              const Index* indices, T* dst, int64_t count) {
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t inner = i % p.inner;
    const int64_t row = i / p.inner;
    const int64_t outer = row / p.index_count;
    int64_t index = indices[row % p.index_count];
    if (index < 0) index += p.axis;
    const bool inside = index >= 0 && index < p.axis;
    dst[i] = inside ? src[(outer * p.axis + index) * p.inner + inner] : T{0};
  }
}

Support supports(const GatherProblem& problem, const DeviceInfo&) {
  if (problem.index_dtype == DType::kI32 || problem.index_dtype == DType::kI64) {
    return Support::yes();
  }
  return Support::no(std::string("indices of ") + dtype_name(problem.index_dtype) +
                     " are neither int32 nor int64");
}

template <typename Index>
Status launch_with(const GatherProblem& problem, const Operands& operands, Stream& stream) {
  const int64_t count = problem.outer * problem.index_count * problem.inner;
  return dispatch_element_size(problem.dtype, [&]<typename T>() {
    return launch(gather_kernel<T, Index>, elementwise_blocks(count), kElementwiseThreads, 0,
                  stream, problem, input<T>(operands, GatherProblem::kSrc),
                  input<Index>(operands, GatherProblem::kIndices), output<T>(operands), count);
  });
}

Status launch_gather(const GatherProblem& problem, const Operands& operands, Stream& stream) {
  if (problem.index_dtype == DType::kI32) return launch_with<int32_t>(problem, operands, stream);
  return launch_with<int64_t>(problem, operands, stream);
}

}  // namespace

const KernelEntry gather_entry = stateless_kernel_entry<GatherProblem, supports, launch_gather>(
    "gather", "one thread per element of dst");

}  // namespace tessera::cuda
