// SPDX-License-Identifier: Apache-2.0
// gemv: D = activation(alpha * a * op(B) + beta * bias + residual) for one row a: a fully connected
// layer at batch 1, as fast as B can be read.
//   B stored (N, K): a warp per column of D, its lanes 16 bytes each along k.
//   B stored (K, N): a block for 128 bytes of neighbouring columns, its warps each on other rows.
//
//   operands  float32, float16, bfloat16; M = 1; any N, K (K = 0 gives the epilogue of 0), lda,
//   ldb,
//             transposes, batch
//   alignment that of the element; 16 bytes make the loads of B (N, K) vectors
//   sum       float32: lanes or warps each their own k ascending, then a tree; deterministic
#include "core/math.h"
#include "kernels/cuda/gemm/gemm_operands.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/cuda/support.h"
#include "kernels/cuda/vector.cuh"

namespace tessera::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarpSize;

// The dot product of g_b with a over this lane's share of K.
template <typename T>
__device__ __forceinline__ float lane_product(const T* __restrict__ g_a, int64_t stride_a,
                                              const T* __restrict__ g_b, int64_t count) {
  constexpr int kSize = kVectorElements<T>;
  const int lane = threadIdx.x % kWarpSize;
  float sum = 0.0f;
  int64_t vectors = 0;
  if (reinterpret_cast<uintptr_t>(g_b) % kVectorBytes == 0) {
    vectors = count / kSize;
#pragma unroll 4
    for (int64_t i = lane; i < vectors; i += kWarpSize) {
      const Vector<T, kSize> b = load_vector<kSize>(g_b + i * kSize);
#pragma unroll
      for (int e = 0; e < kSize; ++e) {
        sum += to_float(g_a[(i * kSize + e) * stride_a]) * to_float(b.element[e]);
      }
    }
  }
  for (int64_t k = vectors * kSize + lane; k < count; k += kWarpSize) {
    sum += to_float(g_a[k * stride_a]) * to_float(g_b[k]);
  }
  return sum;
}

template <typename T>
__global__ __launch_bounds__(kThreads) void gemv_rows_kernel(const __grid_constant__ GemmProblem p,
                                                             GemmOperands<T> g, int64_t columns) {
  const int64_t column = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kWarpSize;
  if (column >= columns) return;  // a whole warp leaves: the shuffles below stay complete
  const int64_t batch = column / p.N;
  const int64_t n = column % p.N;
  const MatrixView<T> a = view_a(p, g, batch);  // (1, K)
  const float sum = warp_reduce(
      lane_product(a.data, a.column_stride, view_b(p, g, batch).data + n * p.ldb, p.K), Sum());
  if (threadIdx.x % kWarpSize == 0) {
    store_gemm_output<kActivationAtRunTime>(p, g, batch, 0, n, p.alpha * sum);
  }
}

// Lane l of every warp has column l of the block's; warp w takes k = w, w + kWarps, ...
template <typename T>
__global__ __launch_bounds__(kThreads) void gemv_columns_kernel(
    const __grid_constant__ GemmProblem p, GemmOperands<T> g, int64_t blocks_per_row) {
  __shared__ float s_sum[kWarps][kWarpSize];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int64_t batch = blockIdx.x / blocks_per_row;
  const int64_t n = blockIdx.x % blocks_per_row * kWarpSize + lane;
  const MatrixView<T> a = view_a(p, g, batch);               // (1, K)
  const T* __restrict__ g_b = view_b(p, g, batch).data + n;  // (K, N)
  float sum = 0.0f;
  if (n < p.N) {
#pragma unroll 4
    for (int64_t k = warp; k < p.K; k += kWarps) {
      sum += to_float(a.data[k * a.column_stride]) * to_float(g_b[k * p.ldb]);
    }
  }
  s_sum[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || n >= p.N) return;
  for (int other = 1; other < kWarps; ++other) sum += s_sum[other][lane];
  store_gemm_output<kActivationAtRunTime>(p, g, batch, 0, n, p.alpha * sum);
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  if (problem.M != 1) return Support::no("M = " + std::to_string(problem.M) + " is not one row");
  return support_float(problem.dtype);
}

Status launch_gemv(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    const GemmOperands<T> g = gemm_operands<T>(operands);
    if (problem.transpose_b) {
      const int64_t columns = problem.batch() * problem.N;
      return launch(gemv_rows_kernel<T>, ceil_div<int64_t>(columns, kWarps), kThreads, 0, stream,
                    problem, g, columns);
    }
    const int64_t blocks_per_row = ceil_div<int64_t>(problem.N, kWarpSize);
    return launch(gemv_columns_kernel<T>, problem.batch() * blocks_per_row, kThreads, 0, stream,
                  problem, g, blocks_per_row);
  });
}

}  // namespace

const KernelEntry gemv_entry = stateless_kernel_entry<GemmProblem, supports, launch_gemv>(
    "gemv", "one row: B is streamed once, by warps along its rows or across its columns");

}  // namespace tessera::cuda
