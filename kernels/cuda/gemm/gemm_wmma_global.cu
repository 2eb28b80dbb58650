// SPDX-License-Identifier: Apache-2.0
// gemm_wmma_global: D = activation(alpha * op(A) * op(B) + beta * bias + residual) on tensor cores,
// the plainest way: a warp loads its fragments straight from global memory, with neighbouring warps
// reading the same rows and columns again through the caches.
//
//   operands  float16, bfloat16, or float32 that allows TF32; M, N, K multiples of 32, 32 and 16;
//             leading dimensions a multiple of 16 bytes and matrices of a batch one of 32 bytes,
//             which is what the load instruction demands; transposes, batch
//   device    compute capability 8.0 or later
//   sum       float32 in the tensor cores' order, k ascending; deterministic
#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/wmma.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// Four warps of (32, 32) results each.
using Tile = WmmaTile<64, 64, 16, 32, 32>;
constexpr int kMultipleM = Tile::kWarpM;
constexpr int kMultipleN = Tile::kWarpN;
constexpr int kMultipleK = 16;
constexpr int64_t kAlignmentBytes = 32;  // of a fragment's first element

template <typename T, bool kTransposeA, bool kTransposeB>
__global__ __launch_bounds__(Tile::kThreads) void gemm_wmma_global_kernel(
    const __grid_constant__ GemmProblem p, const __grid_constant__ GemmOperands<T> g) {
  __shared__ WmmaScratch s_scratch[Tile::kWarps];

  const BlockPosition block = block_position<Tile>(p);
  const int warp = threadIdx.x / 32;
  const int warp_m = warp / Tile::kWarpsN * Tile::kWarpM;
  const int warp_n = warp % Tile::kWarpsN * Tile::kWarpN;
  if (block.m + warp_m >= p.M || block.n + warp_n >= p.N) return;  // the whole warp
  const T* g_a = tile_rows_a(p, g, block.batch, block.m + warp_m);
  const T* g_b = tile_columns_b(p, g, block.batch, block.n + warp_n);

  WmmaAccumulators<T, Tile> r_acc;
  r_acc.clear();
  for (int64_t k = 0; k < p.K; k += kWmmaK<T>) {
    WmmaProducts<T, Tile, kTransposeA, kTransposeB>::add(
        g_a + (kTransposeA ? k * p.lda : k), static_cast<unsigned>(p.lda),
        g_b + (kTransposeB ? k : k * p.ldb), static_cast<unsigned>(p.ldb), r_acc);
  }
  r_acc.store(p, g, block, warp_m, warp_n, s_scratch[warp]);
}

Support support_multiple(const char* name, int64_t value, int64_t of) {
  if (value % of == 0) return Support::yes();
  return Support::no(std::string(name) + " = " + std::to_string(value) + " is not a multiple of " +
                     std::to_string(of));
}

Support support_alignment(const GemmProblem& p) {
  const auto element = static_cast<int64_t>(dtype_size_bytes(p.dtype));
  struct Multiple {
    const char* name;
    int64_t value, of;
  };
  // Between the first elements of two fragments along each axis, in units of kAlignmentBytes: the
  // axis that is not contiguous is crossed in steps of 16 rows, hence leading dimensions of half.
  const Multiple multiples[] = {{"M", p.M, kMultipleM},
                                {"N", p.N, kMultipleN},
                                {"K", p.K, kMultipleK},
                                {"lda", p.lda, kAlignmentBytes / 2 / element},
                                {"ldb", p.ldb, kAlignmentBytes / 2 / element}};
  for (const Multiple& multiple : multiples) {
    const Support support = support_multiple(multiple.name, multiple.value, multiple.of);
    if (!support.ok()) return support;
  }
  for (int axis = 0; axis < p.batch_rank; ++axis) {
    for (const int64_t stride : {p.batch_stride_a[axis], p.batch_stride_b[axis]}) {
      const Support support = support_multiple("a batch stride", stride, kAlignmentBytes / element);
      if (!support.ok()) return support;
    }
  }
  return Support::yes();
}

Support supports(const GemmProblem& problem, const DeviceInfo& device) {
  for (const Support& support : {support_async_copies(device), support_tensor_cores(problem)}) {
    if (!support.ok()) return support;
  }
  if (problem.lda > INT32_MAX || problem.ldb > INT32_MAX) {
    return Support::no("a leading dimension is over the limit of 2^31 - 1");
  }
  return support_alignment(problem);
}

Status launch_gemm_wmma_global(const GemmProblem& problem, const Operands& operands,
                               Stream& stream) {
  return dispatch_float(problem.dtype, [&]<typename T>() {
    return dispatch_transposes(problem, [&]<bool kTransposeA, bool kTransposeB>() {
      return launch(gemm_wmma_global_kernel<T, kTransposeA, kTransposeB>,
                    gemm_blocks<Tile>(problem), Tile::kThreads, 0, stream, problem,
                    gemm_operands<T>(operands));
    });
  });
}

}  // namespace

const KernelEntry gemm_wmma_global_entry =
    stateless_kernel_entry<GemmProblem, supports, launch_gemm_wmma_global>(
        "gemm_wmma_global", "tensor cores by WMMA, fragments straight from global memory");

}  // namespace tessera::cuda
