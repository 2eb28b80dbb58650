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
// read and write neighbouring addresses there. Weights are packed k-major; three k-tiles are on
// their way while one is multiplied. Where D has too few tiles for the device, the sum over k is
// split among blocks and a second pass adds the parts.
//
//   operands  float32, src and dst NCHW or NHWC (each its own); groups, strides, dilation and pads
//             of any size
//   alignment 4 bytes
//   device    compute capability 8.0 or later
//   workspace partial sums where they are split; the packed weights where they are no constant
//   sum       float32, in up to 16 parts; channels in blocks of 8, in them r, s, c (c, r, s where
//             C / groups is no multiple of 8); deterministic
#include <algorithm>
#include <array>
#include <string>

#include "core/math.h"
#include "kernels/cuda/conv/conv_gather.cuh"
#include "kernels/cuda/conv/conv_pack.h"
#include "kernels/cuda/conv/conv_plan.h"
#include "kernels/cuda/conv/conv_product.cuh"
#include "kernels/cuda/conv/conv_split.h"
#include "kernels/cuda/conv/packed_conv.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"

namespace tessera::cuda {
namespace {

constexpr int kBlockK = 8;
// 8 x 8 results per thread, so that reading shared memory takes half the cycles of the arithmetic.
using LargeTile = WarpTile<128, 128, kBlockK, 64, 32, 2>;
using MediumTile = WarpTile<64, 128, kBlockK, 64, 32, 4>;
// 4 x 8 results per thread, for few output channels.
using SmallTile = WarpTile<32, 64, kBlockK, 32, 32, 8>;

template <typename Tile>
constexpr ConvTile conv_tile(double macs_per_cycle) {
  return {
      Tile::kBlockM, Tile::kBlockN, Tile::kBlockK, Tile::kThreads, Tile::kBlocksPerMultiprocessor,
      macs_per_cycle};
}
// Of 128 multiply-adds a cycle, what copies, reads of shared memory and addresses leave.
constexpr std::array kTiles = {conv_tile<LargeTile>(108), conv_tile<MediumTile>(104),
                               conv_tile<SmallTile>(80)};

// How the product of one launch is divided.
struct Division {
  const float* weights;  // packed: (groups, k_tiles, BlockK, pitch)
  const Tap* taps;       // null where k-tiles are channels of one tap
  float* partials;       // null where the sum is not split
  int64_t pitch;
  int k_tiles;
  int splits;
};

// A block's part of D: output channels of one group from k on, positions from `position` on,
// k-tiles [first_tile, end_tile).
struct ConvBlock {
  int64_t group, row_in_group, position;
  int split, first_tile, end_tile;
};

// Neighbouring blocks have the same positions: what they gather is then in L2.
template <typename Tile>
__device__ __forceinline__ ConvBlock conv_block(const ConvProblem& p, const Division& division) {
  const auto tiles_m = static_cast<uint32_t>(ceil_div<int64_t>(p.K / p.groups, Tile::kBlockM));
  const auto tiles_n = static_cast<uint32_t>(ceil_div<int64_t>(p.N * p.P * p.Q, Tile::kBlockN));
  const auto groups = static_cast<uint32_t>(p.groups);
  uint32_t index = blockIdx.x;
  ConvBlock block;
  block.row_in_group = int64_t{index % tiles_m} * Tile::kBlockM;
  index /= tiles_m;
  block.position = int64_t{index % tiles_n} * Tile::kBlockN;
  index /= tiles_n;
  block.group = index % groups;
  block.split = static_cast<int>(index / groups);
  const int64_t tiles = division.k_tiles;
  block.first_tile = static_cast<int>(block.split * tiles / division.splits);
  block.end_tile = static_cast<int>((block.split + 1) * tiles / division.splits);
  return block;
}

// Where a thread stores: one column of the tile and every row_step-th row (NCHW), or one row and
// every column_step-th column (NHWC), so that neighbouring threads write neighbouring addresses.
template <typename Tile>
struct StoreWalk {
  static constexpr int kRows = SharedTiles<Tile>::kPieceRows;
  static constexpr int kSteps = kRows * Tile::kBlockN / Tile::kThreads;
  static_assert(Tile::kThreads % kRows == 0 && Tile::kThreads % Tile::kBlockN == 0,
                "a thread keeps its row or its column");

  int row, column, row_step, column_step;
  int64_t offset, k_stride;  // of channel 0 at `column` in dst; from one channel to the next

  __device__ __forceinline__ StoreWalk(const ConvProblem& p, int64_t position0) {
    const bool channels_last = p.dst_layout == Layout::kNHWC;
    const int thread = threadIdx.x;
    row = channels_last ? thread % kRows : thread / Tile::kBlockN;
    column = channels_last ? thread / kRows : thread % Tile::kBlockN;
    row_step = channels_last ? 0 : Tile::kThreads / Tile::kBlockN;
    column_step = channels_last ? Tile::kThreads / kRows : 0;
    const int64_t area = channels_last ? 1 : p.P * p.Q;
    const int64_t position = position0 + column;
    offset = position / area * p.K * area + position % area;
    k_stride = area;
  }
};

// Stores the results of the block through shared memory, a piece of every thread at a time.
template <typename Tile>
__device__ __forceinline__ void store(const ConvProblem& p, const ConvOperands& g,
                                      const Division& division, const ConvBlock& block,
                                      ThreadPosition thread, SharedTiles<Tile>& s_tiles,
                                      const float (&r_acc)[Tile::kThreadM][Tile::kThreadN]) {
  const int64_t positions_left = p.N * p.P * p.Q - block.position;
  const int64_t group_k = p.K / p.groups;
  const int piece_row = thread.row / Tile::kWarpM * Tile::kPieceStepM + thread.row % Tile::kWarpM;
  float* g_partial =
      division.splits > 1 ? division.partials + block.split * p.K * p.N * p.P * p.Q : nullptr;
#pragma unroll
  for (int piece = 0; piece < Tile::kThreadM / 4; ++piece) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::kThreadN; j += 4) {
        const float* x = &r_acc[piece * 4 + i][j];
        *reinterpret_cast<float4*>(
            &s_tiles.results[piece_row + i][thread.column + j / 4 * Tile::kPieceStepN]) =
            make_float4(x[0], x[1], x[2], x[3]);
      }
    }
    __syncthreads();
    StoreWalk<Tile> walk(p, block.position);
#pragma unroll 1
    for (int step = 0; step < StoreWalk<Tile>::kSteps; ++step) {
      const int64_t m = block.row_in_group + walk.row / Tile::kPieceStepM * Tile::kWarpM +
                        piece * Tile::kPieceStepM + walk.row % Tile::kPieceStepM;
      if (m < group_k && walk.column < positions_left) {
        const int64_t k = block.group * group_k + m;
        const int64_t offset = walk.offset + k * walk.k_stride;
        const float x = s_tiles.results[walk.row][walk.column];
        if (g_partial != nullptr) {
          g_partial[offset] = x;
        } else {
          store_conv_output<kActivationAtRunTime>(p, g, k, offset, x);
        }
      }
      walk.row += walk.row_step;
      walk.column += walk.column_step;
      walk.offset += walk.column_step * p.K;
    }
  }
}

template <typename Tile, bool kUsesTaps>
__global__
__launch_bounds__(Tile::kThreads, Tile::kBlocksPerMultiprocessor) void conv_implicit_gemm_kernel(
    const __grid_constant__ ConvProblem p, ConvOperands g,
    const __grid_constant__ Division division) {
  __shared__ __align__(16) SharedTiles<Tile> s_tiles;
  const ConvBlock block = conv_block<Tile>(p, division);
  const ThreadPosition thread = thread_position<Tile>();
  const ImageStrides src = image_strides(p.src_layout, p.C, p.H, p.W);
  const GatherWindow window =
      gather_window(p, src, g.src, block.group, block.position + GatherShare<Tile>::column());
  const float* g_weights =
      division.weights +
      (block.group * division.k_tiles + block.first_tile) * kBlockK * division.pitch +
      block.row_in_group;
  const int k_tiles = block.end_tile - block.first_tile;
  float r_acc[Tile::kThreadM][Tile::kThreadN] = {};  // (ThreadM, ThreadN)
  if constexpr (kUsesTaps) {
    TapGather<Tile> columns(p, division.taps, window, block.first_tile);
    multiply_k_tiles<Tile>(g_weights, division.pitch, k_tiles, columns, thread, s_tiles, r_acc);
  } else {
    ChannelGather<Tile> columns(p, src, window, block.first_tile);
    multiply_k_tiles<Tile>(g_weights, division.pitch, k_tiles, columns, thread, s_tiles, r_acc);
  }
  store<Tile>(p, g, division, block, thread, s_tiles, r_acc);
}

Support supports(const ConvProblem& p, const DeviceInfo& device) {
  const Support async = support_async_copies(device);
  if (!async.ok()) return async;
  constexpr int64_t kMostProducts = int64_t{1} << 30;
  if (conv_reduction(p) > kMostProducts) return Support::no("over 2^30 products per output");
  return support_conv(p);
}

// k-tiles of one tap need whole blocks of channels.
bool uses_taps(const ConvProblem& p) { return p.C / p.groups % kBlockK != 0; }

ConvPacking packing_of(const ConvProblem& p, const ConvTile& tile) {
  ConvPacking packing;
  packing.channel_block = uses_taps(p) ? 0 : kBlockK;
  packing.rows = round_up<int64_t>(conv_reduction(p), kBlockK);
  packing.pitch = round_up<int64_t>(p.K / p.groups, tile.block_m);
  return packing;
}

std::vector<Tap> make_taps(const ConvProblem& p, int64_t rows) {
  const ImageStrides src = image_strides(p.src_layout, p.C, p.H, p.W);
  std::vector<Tap> taps(static_cast<size_t>(rows), Tap{0, kOutside, kOutside});
  for (int64_t k = 0; k < conv_reduction(p); ++k) {
    const int64_t h = k / p.S % p.R * p.dilation_h;
    const int64_t w = k % p.S * p.dilation_w;
    taps[static_cast<size_t>(k)] = {k / p.S / p.R * src.c + h * src.h + w * src.w,
                                    static_cast<int>(h), static_cast<int>(w)};
  }
  return taps;
}

class ConvImplicitGemm final : public PackedConv {
 public:
  ConvImplicitGemm(Device& device, const ConvProblem& problem, const ConvPlan& plan,
                   const ConvPacking& packing, Buffer taps)
      : PackedConv(device, static_cast<size_t>(problem.groups * packing.rows * packing.pitch) * 4,
                   plan.splits == 1 ? 0
                                    : static_cast<size_t>(plan.splits * problem.N * problem.K *
                                                          problem.P * problem.Q) *
                                          4),
        problem_(problem),
        plan_(plan),
        packing_(packing),
        taps_(std::move(taps)) {}

 private:
  Status pack(const void* weights, void* packed, Stream& stream) override {
    return launch_conv_pack(problem_, packing_, static_cast<const float*>(weights),
                            static_cast<float*>(packed), stream);
  }

  Status run(const Operands& operands, const void* packed, void* scratch, Stream& stream) override {
    const Division division = {static_cast<const float*>(packed),
                               static_cast<const Tap*>(taps_.data()),
                               static_cast<float*>(scratch),
                               packing_.pitch,
                               static_cast<int>(packing_.rows / kBlockK),
                               plan_.splits};
    TESSERA_RETURN_IF_ERROR(launch_tile(division, operands, stream));
    if (plan_.splits == 1) return {};
    return launch_conv_split_sum(problem_, division.partials, plan_.splits, operands, stream);
  }

  Status launch_tile(const Division& division, const Operands& operands, Stream& stream) const {
    const bool taps = uses_taps(problem_);
    if (plan_.tile == 0) {
      return taps ? launch_product<LargeTile, true>(division, operands, stream)
                  : launch_product<LargeTile, false>(division, operands, stream);
    }
    if (plan_.tile == 1) {
      return taps ? launch_product<MediumTile, true>(division, operands, stream)
                  : launch_product<MediumTile, false>(division, operands, stream);
    }
    return taps ? launch_product<SmallTile, true>(division, operands, stream)
                : launch_product<SmallTile, false>(division, operands, stream);
  }

  template <typename Tile, bool kUsesTaps>
  Status launch_product(const Division& division, const Operands& operands, Stream& stream) const {
    const ConvProblem& p = problem_;
    const int64_t blocks = ceil_div<int64_t>(p.N * p.P * p.Q, Tile::kBlockN) * p.groups *
                           ceil_div<int64_t>(p.K / p.groups, Tile::kBlockM) * division.splits;
    return tessera::cuda::launch(conv_implicit_gemm_kernel<Tile, kUsesTaps>, blocks, Tile::kThreads,
                                 0, stream, p, conv_operands(operands), division);
  }

  ConvProblem problem_;
  ConvPlan plan_;
  ConvPacking packing_;
  Buffer taps_;
};

Result<std::unique_ptr<Kernel>> create(const Problem& any_problem, Device& device) {
  const auto& p = std::get<ConvProblem>(any_problem);
  const ConvPlan plan = plan_conv(p, device.info(), kTiles, conv_reduction(p));
  const ConvPacking packing = packing_of(p, kTiles[plan.tile]);
  Buffer taps;
  if (uses_taps(p)) {
    const std::vector<Tap> table = make_taps(p, packing.rows);
    TESSERA_ASSIGN_OR_RETURN(taps, device.allocate(table.size() * sizeof(Tap)));
    TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, device.create_stream());
    TESSERA_RETURN_IF_ERROR(
        stream->copy_to_device(taps.data(), table.data(), table.size() * sizeof(Tap)));
    TESSERA_RETURN_IF_ERROR(stream->synchronize());
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<ConvImplicitGemm>(device, p, plan, packing, std::move(taps)));
}

}  // namespace

const KernelEntry conv_implicit_gemm_entry = {
    "conv_implicit_gemm", ConvProblem::kFamily,
    "one matrix product per group, its columns gathered from src, split where it is small",
    [](const Problem& problem, const DeviceInfo& device) {
      return supports(std::get<ConvProblem>(problem), device);
    },
    create};

}  // namespace tessera::cuda
