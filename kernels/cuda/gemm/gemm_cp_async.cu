// SPDX-License-Identifier: Apache-2.0
// gemm_cp_async: D = activation(alpha * op(A) * op(B) + beta * bias + residual), the tiles of
// gemm_double_buffer copied to shared memory without registers in between, and further ahead:
// while one k-tile is multiplied, three are on their way. Such a copy cannot transpose: an operand
// with k contiguous is copied element by element, one with rows or columns contiguous by 16 bytes.
//
//   operands  float32, any M, N, K (K = 0 gives the epilogue of 0), lda, ldb, ldd, transposes,
//             batch
//   alignment 4 bytes; 16 bytes and leading dimensions of a multiple of 4 make the copies vectors,
//             decided per block
//   device    compute capability 8.0 or later
//   sum       float32, k ascending; deterministic
#include <string>

#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/thread_tile.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx/cp_async.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

using Tile = ThreadTile<128, 128, 8, 8, 8>;
// Four k-tiles are 33 KB of static shared memory, and six times the latency of global memory.
constexpr int kStages = 4;
// Holds the compiler to 128 registers, so that one block computes while another is at its barrier.
constexpr int kBlocksPerMultiprocessor = 2;
static_assert(kStages >= 2, "one stage is read while another is written");
static_assert(kStages * (Tile::kPitchM + Tile::kPitchN) * Tile::kBlockK * 4 <= 48 * 1024,
              "static shared memory");

// A thread's share of the k-tiles (BlockK, BlockX) of an operand, X being M for A and N for B.
// Element (k, x) of the first is at g_tile[x * stride_x + k * stride_k]; what lies at or beyond
// x_left or k_left is never read and becomes zero.
template <int kBlockX>
class AsyncReader {
 public:
  __device__ __forceinline__ AsyncReader(const float* __restrict__ g_tile, int64_t stride_x,
                                         int64_t stride_k, int64_t x_left)
      : k_fastest_(stride_k == 1) {
    vectors_ = stride_x == 1 && stride_k % 4 == 0 &&
               reinterpret_cast<uintptr_t>(g_tile) % sizeof(float4) == 0;
    const int thread = threadIdx.x;
    k0_ = vectors_ ? thread / kVectorsX : k_fastest_ ? thread % Tile::kBlockK : thread / kBlockX;
    x0_ = vectors_     ? thread % kVectorsX * 4
          : k_fastest_ ? thread / Tile::kBlockK
                       : thread % kBlockX;
    x_left_ = x_left < kBlockX ? static_cast<int>(x_left) : kBlockX;
    g_element_ = g_tile + x0_ * stride_x + k0_ * stride_k;
    pass_step_ = k_fastest_ ? kStepX * stride_x : kStepK * stride_k;
    tile_step_ = Tile::kBlockK * stride_k;
  }

  // Begins to copy the next k-tile to s_tile (BlockK, BlockX). k_left elements along k are left,
  // this tile included.
  template <int kPitch>
  __device__ __forceinline__ void copy(int64_t k_left, float (&s_tile)[Tile::kBlockK][kPitch]) {
    static_assert(kPitch % 4 == 0, "every row of s_tile begins at 16 bytes");
    if (vectors_) {
      const int count = k0_ < k_left ? min(max(x_left_ - x0_, 0), 4) : 0;
      cp_async<16>(&s_tile[k0_][x0_], g_element_, count * 4);
    } else {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        const int k = k_fastest_ ? k0_ : k0_ + pass * kStepK;
        const int x = k_fastest_ ? x0_ + pass * kStepX : x0_;
        const bool inside = k < k_left && x < x_left_;
        cp_async<4>(&s_tile[k][x], g_element_ + pass * pass_step_, inside ? 4 : 0);
      }
    }
    g_element_ += tile_step_;
  }

 private:
  static constexpr int kVectorsX = kBlockX / 4;
  static constexpr int kPasses = kBlockX * Tile::kBlockK / Tile::kThreads;
  // From one pass over single elements to the next, along x where k is contiguous, else along k.
  static constexpr int kStepX = Tile::kThreads / Tile::kBlockK;
  static constexpr int kStepK = Tile::kThreads / kBlockX;
  static_assert(kVectorsX * Tile::kBlockK == Tile::kThreads, "one vector per thread");
  static_assert(Tile::kThreads % kBlockX == 0 && Tile::kThreads % Tile::kBlockK == 0,
                "a thread keeps its k or its x from one pass to the next");

  bool k_fastest_;
  bool vectors_;
  int k0_, x0_;  // the first element's place in the tile
  int x_left_;
  const float* g_element_;
  int64_t pass_step_, tile_step_;
};

template <ActivationKind kActivation>
__global__ __launch_bounds__(Tile::kThreads, kBlocksPerMultiprocessor) void gemm_cp_async_kernel(
    const __grid_constant__ GemmProblem p, GemmOperands g) {
  // (Stages, BlockK, BlockM) and (Stages, BlockK, BlockN)
  __shared__ __align__(16) float s_a[kStages][Tile::kBlockK][Tile::kPitchM];
  __shared__ __align__(16) float s_b[kStages][Tile::kBlockK][Tile::kPitchN];

  const BlockPosition block = block_position<Tile>(p);
  const MatrixView a = view_a(p, g, block.batch);  // (M, K)
  const MatrixView b = view_b(p, g, block.batch);  // (K, N)
  AsyncReader<Tile::kBlockM> reader_a(a.data + block.m * a.row_stride, a.row_stride,
                                      a.column_stride, p.M - block.m);
  AsyncReader<Tile::kBlockN> reader_b(b.data + block.n * b.column_stride, b.column_stride,
                                      b.row_stride, p.N - block.n);
  const int row0 = threadIdx.x / Tile::kThreadsN * Tile::kThreadM;
  const int column0 = threadIdx.x % Tile::kThreadsN * Tile::kThreadN;

  // One group per k-tile, empty beyond K, so that the number of groups tells which have arrived.
  const auto copy_k_tile = [&](int64_t k0, int stage) {
    if (k0 < p.K) {
      reader_a.copy(p.K - k0, s_a[stage]);
      reader_b.copy(p.K - k0, s_b[stage]);
    }
    cp_async_commit();
  };
  constexpr int kAhead = kStages - 1;
  for (int tile = 0; tile < kAhead; ++tile) copy_k_tile(tile * Tile::kBlockK, tile);

  float r_acc[Tile::kThreadM][Tile::kThreadN] = {};  // (ThreadM, ThreadN)
  int stage = 0;
  for (int64_t k0 = 0; k0 < p.K; k0 += Tile::kBlockK) {
    cp_async_wait<kAhead - 1>();
    __syncthreads();  // this k-tile is there for all threads, and all have read the one before
    const int free_stage = stage == 0 ? kStages - 1 : stage - 1;
    copy_k_tile(k0 + kAhead * Tile::kBlockK, free_stage);
    multiply_tile<Tile>(s_a[stage], s_b[stage], row0, column0, r_acc);
    stage = stage == kStages - 1 ? 0 : stage + 1;
  }
  store_thread_tile<kActivation>(p, g, block, row0, column0, r_acc);
}

Support supports(const GemmProblem& problem, const DeviceInfo& device) {
  if (device.compute_major < 8) {
    return Support::no("asynchronous copies need compute capability 8.0, this device has " +
                       std::to_string(device.compute_major) + "." +
                       std::to_string(device.compute_minor));
  }
  return support_float32(problem.dtype);
}

Status launch_gemm_cp_async(const GemmProblem& problem, const Operands& operands, Stream& stream) {
  return dispatch_activation(problem.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(gemm_cp_async_kernel<kActivation>, gemm_blocks<Tile>(problem), Tile::kThreads, 0,
                  stream, problem, gemm_operands(operands));
  });
}

}  // namespace

const KernelEntry gemm_cp_async_entry =
    stateless_kernel_entry<GemmProblem, supports, launch_gemm_cp_async>(
        "gemm_cp_async", "four stages of asynchronous copies to shared memory");

}  // namespace tessera::cuda
