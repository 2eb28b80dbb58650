// SPDX-License-Identifier: Apache-2.0
// conv_implicit_gemm: dst = activation(conv(src, weights) + bias + residual) as one matrix product
// per group, whose second operand is never stored: its tiles are gathered from src straight into
// shared memory.
//
//   D (K/groups, N*P*Q) = weights (K/groups, C/groups*R*S) * columns (C/groups*R*S, N*P*Q)
//   columns[(c, r, s), (n, p, q)] = src[n, g * C/groups + c, p * stride_h - pad_top + r *
//   dilation_h,
//                                       q * stride_w - pad_left + s * dilation_w], zero outside
//
// The positions are the fastest dimension of D, as they are in NCHW, so that neighbouring threads
// read and write neighbouring addresses there.
//
//   operands  float32, src and dst NCHW or NHWC (each its own); groups, strides, dilation and pads
//   of
//             any size
//   alignment 4 bytes
//   sum       float32 in the order c, r, s; deterministic
#include "core/math.h"
#include "kernels/cuda/conv/conv_operands.cuh"
#include "kernels/cuda/gemm/thread_tile.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"

namespace tessera::cuda {
namespace {

using Tile = ThreadTile<64, 64, 16, 4, 4>;
constexpr int kRowsPerPass = Tile::kThreads / Tile::kBlockN;
static_assert(Tile::kThreads % Tile::kBlockN == 0, "a thread gathers one column of the tile");
static_assert(Tile::kBlockK % kRowsPerPass == 0, "the passes cover the tile's rows");
static_assert(Tile::kBlockK <= Tile::kThreads, "one thread finds one tap");

// Row (c, r, s) of the columns: where it lies relative to a window's corner.
struct Tap {
  int64_t offset;
  int h, w;
};

__device__ __forceinline__ Tap find_tap(const ConvProblem& p, const ImageStrides& src, int64_t k,
                                        int64_t reduction) {
  if (k >= reduction) return {0, kOutside, kOutside};
  const int64_t s = k % p.S;
  const int64_t r = k / p.S % p.R;
  const int64_t c = k / p.S / p.R;
  const int64_t h = r * p.dilation_h;
  const int64_t w = s * p.dilation_w;
  return {c * src.c + h * src.h + w * src.w, static_cast<int>(h), static_cast<int>(w)};
}

// Gathers one k-tile of the columns: s_columns[k][x] for this thread's column x.
__device__ __forceinline__ void gather_columns(const ConvProblem& p,
                                               const float* __restrict__ g_src,
                                               const ConvWindow& window,
                                               const Tap (&s_taps)[Tile::kBlockK],
                                               float (&s_columns)[Tile::kBlockK][Tile::kPitchN]) {
  const int x = threadIdx.x % Tile::kBlockN;
#pragma unroll
  for (int first = 0; first < Tile::kBlockK; first += kRowsPerPass) {
    const int k = first + static_cast<int>(threadIdx.x) / Tile::kBlockN;
    const Tap tap = s_taps[k];
    const int h = window.h + tap.h;
    const int w = window.w + tap.w;
    const bool inside = h >= 0 && h < p.H && w >= 0 && w < p.W;
    s_columns[k][x] = inside ? g_src[window.offset + tap.offset] : 0.0f;
  }
}

template <ActivationKind kActivation>
__global__ __launch_bounds__(Tile::kThreads) void conv_implicit_gemm_kernel(
    const __grid_constant__ ConvProblem p, ConvOperands g) {
  __shared__ __align__(16) float s_weights[Tile::kBlockK][Tile::kPitchM];  // (BlockK, BlockM)
  __shared__ __align__(16) float s_columns[Tile::kBlockK][Tile::kPitchN];  // (BlockK, BlockN)
  __shared__ Tap s_taps[Tile::kBlockK];                                    // (BlockK)

  const int64_t group_k = p.K / p.groups;
  const int64_t positions = p.N * p.P * p.Q;
  const int64_t reduction = conv_reduction(p);
  const int64_t tiles_k = ceil_div<int64_t>(group_k, Tile::kBlockM);
  const int64_t row_in_group = blockIdx.x % tiles_k * Tile::kBlockM;
  const int64_t group = blockIdx.x / tiles_k % p.groups;
  const int64_t position0 = blockIdx.x / tiles_k / p.groups * Tile::kBlockN;
  const int64_t k0 = group * group_k + row_in_group;
  const ImageStrides src = image_strides(p.src_layout, p.C, p.H, p.W);
  const float* g_src = g.src + group * (p.C / p.groups) * src.c;
  const float* g_weights = g.weights + k0 * reduction;

  const int64_t gathered = position0 + threadIdx.x % Tile::kBlockN;
  const ConvWindow window = gathered < positions ? conv_window(p, src, conv_position(p, gathered))
                                                 : ConvWindow{0, kOutside, kOutside};
  const int row0 = threadIdx.x / Tile::kThreadsN * Tile::kThreadM;
  const int column0 = threadIdx.x % Tile::kThreadsN * Tile::kThreadN;
  const int tap_index = threadIdx.x;

  if (tap_index < Tile::kBlockK) s_taps[tap_index] = find_tap(p, src, tap_index, reduction);
  __syncthreads();
  float r_acc[Tile::kThreadM][Tile::kThreadN] = {};  // (ThreadM, ThreadN)
  for (int64_t first = 0; first < reduction; first += Tile::kBlockK) {
    load_tile<Tile::kThreads, Tile::kBlockM>(g_weights + first, reduction, 1,
                                             group_k - row_in_group, reduction - first, s_weights);
    gather_columns(p, g_src, window, s_taps, s_columns);
    __syncthreads();
    multiply_tile<Tile>(s_weights, s_columns, row0, column0, r_acc);
    // The taps of this k-tile have been read; those of the next are found beside the product.
    if (tap_index < Tile::kBlockK) {
      s_taps[tap_index] = find_tap(p, src, first + Tile::kBlockK + tap_index, reduction);
    }
    __syncthreads();
  }

  const ImageStrides dst = image_strides(p.dst_layout, p.K, p.P, p.Q);
#pragma unroll
  for (int j = 0; j < Tile::kThreadN; ++j) {
    const int64_t index = position0 + column0 + j;
    if (index >= positions) break;
    const ConvPosition position = conv_position(p, index);
    const int64_t offset = position.n * dst.n + position.p * dst.h + position.q * dst.w;
#pragma unroll
    for (int i = 0; i < Tile::kThreadM; ++i) {
      const int64_t k = k0 + row0 + i;
      if (row_in_group + row0 + i < group_k) {
        store_conv_output<kActivation>(p, g, k, offset + k * dst.c, r_acc[i][j]);
      }
    }
  }
}

Support supports(const ConvProblem& problem, const DeviceInfo&) { return support_conv(problem); }

Status launch_conv_implicit_gemm(const ConvProblem& p, const Operands& operands, Stream& stream) {
  const int64_t blocks = ceil_div<int64_t>(p.N * p.P * p.Q, Tile::kBlockN) * p.groups *
                         ceil_div<int64_t>(p.K / p.groups, Tile::kBlockM);
  return dispatch_activation(p.epilogue.activation.kind, [&]<ActivationKind kActivation>() {
    return launch(conv_implicit_gemm_kernel<kActivation>, blocks, Tile::kThreads, 0, stream, p,
                  conv_operands(operands));
  });
}

}  // namespace

const KernelEntry conv_implicit_gemm_entry =
    stateless_kernel_entry<ConvProblem, supports, launch_conv_implicit_gemm>(
        "conv_implicit_gemm", "one matrix product per group, its columns gathered from src");

}  // namespace tessera::cuda
