// SPDX-License-Identifier: Apache-2.0
// softmax_online: softmax or log-softmax of contiguous rows, one block per row: maximum and sum in
// one pass over the row, which waits in shared memory for the second where it fits.
//
//   operands  float32, float16 or bfloat16; inner = 1, any outer and axis
//   alignment that of the element; rows that are whole vectors of 16 bytes are read as such
//   sum       float32: each thread its elements in order, then a fixed tree; deterministic
//   NaN       a NaN makes its row NaN, through the sum; so does a row of -infinity (its maximum
//             minus itself), as the formula of kernels/problem/softmax.h says
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/softmax/running_softmax.cuh"
#include "kernels/cuda/support.h"
#include "kernels/cuda/vector.cuh"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kThreads = 256;
  static constexpr int kUnroll = 4;  // accesses that a thread has on their way at once
  // Longer rows are read again, from the cache if it still has them: with more shared memory a
  // block, too few blocks would run at once.
  static constexpr int64_t kMaxRowBytes = 48 << 10;
};

template <typename T, int kCount>
__device__ __forceinline__ void to_floats(const Vector<T, kCount>& vector, float (&x)[kCount]) {
#pragma unroll
  for (int j = 0; j < kCount; ++j) x[j] = to_float(vector.element[j]);
}

// Maximum and sum of this thread's part of the row. With kKeep the part is also put into s_row,
// where the same thread will find it.
template <bool kKeep, typename T, int kCount>
__device__ __forceinline__ RunningSoftmax scan_row(const T* g_src, Vector<T, kCount>* s_row,
                                                   int64_t accesses) {
  RunningSoftmax running;
  for (int64_t first = threadIdx.x; first < accesses; first += Config::kThreads * Config::kUnroll) {
    Vector<T, kCount> r_part[Config::kUnroll];
#pragma unroll
    for (int u = 0; u < Config::kUnroll; ++u) {
      const int64_t i = first + u * Config::kThreads;
      if (i < accesses) r_part[u] = load_vector<kCount>(g_src + i * kCount);
    }
#pragma unroll
    for (int u = 0; u < Config::kUnroll; ++u) {
      const int64_t i = first + u * Config::kThreads;
      if (i >= accesses) break;
      if constexpr (kKeep) s_row[i] = r_part[u];
      float x[kCount];
      to_floats(r_part[u], x);
      running.add(x);
    }
  }
  return running;
}

template <typename T, int kCount, bool kKeep>
__global__ __launch_bounds__(Config::kThreads) void softmax_online_kernel(const T* src, T* dst,
                                                                          int64_t axis, bool log) {
  using Access = Vector<T, kCount>;
  extern __shared__ __align__(kVectorBytes) unsigned char s_bytes[];
  __shared__ float s_partials[Config::kThreads / kWarpSize];  // (warps)
  Access* s_row = reinterpret_cast<Access*>(s_bytes);         // (axis)
  const int64_t accesses = axis / kCount;
  const T* g_src = src + blockIdx.x * axis;  // (axis)
  T* g_dst = dst + blockIdx.x * axis;        // (axis)

  const RunningSoftmax running = scan_row<kKeep>(g_src, s_row, accesses);
  const float max = block_reduce<Config::kThreads>(running.max, Max(), s_partials);
  const float sum = block_reduce<Config::kThreads>(running.sum_below(max), Sum(), s_partials);
  const float scale = log ? logf(sum) : 1.0f / sum;
#pragma unroll 4
  for (int64_t i = threadIdx.x; i < accesses; i += Config::kThreads) {
    Access access = kKeep ? s_row[i] : load_vector<kCount>(g_src + i * kCount);
    float x[kCount];
    to_floats(access, x);
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const float shifted = x[j] - max;
      access.element[j] = from_float<T>(log ? shifted - scale : expf(shifted) * scale);
    }
    store_vector<kCount>(g_dst + i * kCount, access);
  }
}

Support supports(const SoftmaxProblem& problem, const DeviceInfo&) {
  if (problem.inner != 1) {
    return Support::no("inner = " + std::to_string(problem.inner) +
                       ": the rows are not contiguous");
  }
  return support_float(problem.dtype);
}

template <typename T, int kCount>
Status launch_with(const SoftmaxProblem& problem, const Operands& operands, Stream& stream) {
  const auto row_bytes = problem.axis * static_cast<int64_t>(sizeof(T));
  const bool keep = row_bytes <= Config::kMaxRowBytes;
  const auto kernel =
      keep ? softmax_online_kernel<T, kCount, true> : softmax_online_kernel<T, kCount, false>;
  return launch(kernel, problem.outer, Config::kThreads, keep ? static_cast<size_t>(row_bytes) : 0,
                stream, input<T>(operands, SoftmaxProblem::kSrc), output<T>(operands), problem.axis,
                problem.log);
}

Status launch_softmax_online(const SoftmaxProblem& problem, const Operands& operands,
                             Stream& stream) {
  if (problem.axis == 0) return {};
  return dispatch_float(problem.dtype, [&]<typename T>() {
    constexpr int kCount = kVectorElements<T>;
    const bool vectors =
        problem.axis % kCount == 0 &&
        are_aligned(kVectorBytes, input<T>(operands, SoftmaxProblem::kSrc), output<T>(operands));
    return vectors ? launch_with<T, kCount>(problem, operands, stream)
                   : launch_with<T, 1>(problem, operands, stream);
  });
}

}  // namespace

const KernelEntry softmax_online_entry =
    stateless_kernel_entry<SoftmaxProblem, supports, launch_softmax_online>(
        "softmax_online", "one block per row, maximum and sum in one pass");

}  // namespace tessera::cuda
