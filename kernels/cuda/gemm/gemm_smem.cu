// SPDX-License-Identifier: Apache-2.0
// gemm_smem: D = activation(alpha * op(A) * op(B) + beta * bias + residual), tiles of A and B
// staged in shared memory, one thread per element of a 32 x 32 tile of D: an element read from
// global memory is used 32 times, and transposed operands are read along their rows too.
//
//   operands  float32, any M, N, K (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes,
//             batch
//   alignment 4 bytes
//   sum       float32, k ascending; deterministic
#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/thread_tile.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

struct Tile {
  static constexpr int kBlockM = 32;
  static constexpr int kBlockN = 32;
  static constexpr int kBlockK = 32;
  static constexpr int kThreads = kBlockM * kBlockN;
  // A tile that arrives with k fastest is written down a column: an odd pitch puts the 32 elements
  // of a column into 32 banks.
  static constexpr int kPitch = kBlockN + 1;

  static_assert(kThreads <= 1024, "one thread per element of D, at most a block of them");
  static_assert(kBlockM == kBlockN, "both tiles have the same pitch");
  static_assert(kBlockN % 32 == 0, "a warp has one row of D: it reads one element of A's tile");
  static_assert(2 * kBlockK * kPitch * 4 <= 48 * 1024, "static shared memory");
};

template <ActivationKind kActivation>
__global__ __launch_bounds__(Tile::kThreads) void gemm_smem_kernel(
    const __grid_constant__ GemmProblem p, GemmOperands<float> g) {
  __shared__ float s_a[Tile::kBlockK][Tile::kPitch];  // (BlockK, BlockM)
  __shared__ float s_b[Tile::kBlockK][Tile::kPitch];  // (BlockK, BlockN)

  const BlockPosition block = block_position<Tile>(p);
  const MatrixView<float> a = view_a(p, g, block.batch);  // (M, K)
  const MatrixView<float> b = view_b(p, g, block.batch);  // (K, N)
  const float* g_a = a.data + block.m * a.row_stride;
  const float* g_b = b.data + block.n * b.column_stride;
  const int row = threadIdx.x / Tile::kBlockN;
  const int column = threadIdx.x % Tile::kBlockN;

  float sum = 0.0f;
  for (int64_t k0 = 0; k0 < p.K; k0 += Tile::kBlockK) {
    load_tile<Tile::kThreads, Tile::kBlockM>(g_a + k0 * a.column_stride, a.row_stride,
                                             a.column_stride, p.M - block.m, p.K - k0, s_a);
    load_tile<Tile::kThreads, Tile::kBlockN>(g_b + k0 * b.row_stride, b.column_stride, b.row_stride,
                                             p.N - block.n, p.K - k0, s_b);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile::kBlockK; ++k) sum += s_a[k][row] * s_b[k][column];
    __syncthreads();
  }

  const int64_t m = block.m + row;
  const int64_t n = block.n + column;
  if (m < p.M && n < p.N) {
    store_gemm_output<kActivation>(p, g, block.batch, m, n, p.alpha * sum);
  }
}

Support supports(const GemmProblem& problem, const DeviceInfo&) {
  return support_float32(problem.dtype);
}

Status launch_gemm_smem(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_activation(problem.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(gemm_smem_kernel<kActivation>, gemm_blocks<Tile>(problem), Tile::kThreads, 0,
                  stream, problem, gemm_operands<float>(operands));
  });
}

}  // namespace

const KernelEntry gemm_smem_entry = stateless_kernel_entry<GemmProblem, supports, launch_gemm_smem>(
    "gemm_smem", "tiles of A and B in shared memory, one thread per element of D");

}  // namespace tessera::cuda
