// SPDX-License-Identifier: Apache-2.0
// conv_implicit_gemm_mma: dst = activation(conv(src, weights) + bias + residual) as one matrix
// product per group on tensor cores, its left operand gathered from src:
//
//   D (N*P*Q, K/groups) = columns (N*P*Q, R*S*C/groups) * weights (K/groups, R*S*C/groups)^T
//
// Channels are contiguous on both sides, so that a copy takes 16 bytes of one tap: src is read as
// NHWC (a NCHW one is transposed first), the weights are packed to (K, R, S, C). Three k-tiles are
// on their way while one is multiplied.
//
//   operands  float16, bfloat16, or float32 where the problem allows TF32; src and dst NCHW or
//   NHWC;
//             groups, strides, dilation and pads of any size; C / groups a multiple of 16 bytes
//   alignment 16 bytes of src
//   device    compute capability 8.0 or later
//   workspace src as NHWC where it is not; the packed weights where they are no constant
//   sum       float32, in the order r, s, c; TF32 by leaving out 13 bits; deterministic
#include <algorithm>
#include <string>

#include "core/math.h"
#include "kernels/cuda/conv/conv_operands.cuh"
#include "kernels/cuda/conv/mma_conv_tile.cuh"
#include "kernels/cuda/conv/packed_conv.h"
#include "kernels/cuda/data_movement/batched_transpose.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx/cp_async.cuh"
#include "kernels/cuda/vector.cuh"

namespace tessera::cuda {
namespace {

using LargeTile = MmaConvTile<128, 64, 64, 32>;
// For a small D: twice the blocks.
using SmallTile = MmaConvTile<64, 64, 32, 32>;
constexpr int64_t kPackedRows = LargeTile::kBlockN;
static_assert(SmallTile::kBlockN == kPackedRows, "the weights are packed for either tile");

template <typename T>
constexpr int kVectorElements = kMmaVectorBytes / static_cast<int>(sizeof(T));
template <typename T>
constexpr int kBlockK = kVectorElements<T>* kMmaRowVectors;

// Operands of a launch; src is NHWC.
template <typename T>
struct MmaOperands {
  const T* src;
  const T* weights;  // (groups, K / groups, R * S, channels), filled up with zeros
  const T* bias;
  const T* residual;
  T* dst;
  int64_t packed_k, channels;  // K / groups and C / groups, rounded up to whole tiles
};

// A block's part of D: positions from `position` on, channels of one group from column on.
struct MmaBlock {
  int64_t group, position, column;
};

template <typename Tile>
__device__ __forceinline__ MmaBlock mma_block(const ConvProblem& p, int64_t packed_k) {
  const auto tiles_n = static_cast<uint32_t>(packed_k / Tile::kBlockN);
  const auto groups = static_cast<uint32_t>(p.groups);
  const uint32_t index = blockIdx.x / tiles_n;
  return {index % groups, int64_t{index / groups} * Tile::kBlockM,
          int64_t{blockIdx.x % tiles_n} * Tile::kBlockN};
}

// A thread's share of the k-tiles: one vector of a few rows of each operand.
template <typename Tile, typename T>
class MmaReader {
 public:
  __device__ __forceinline__ MmaReader(const ConvProblem& p, const MmaOperands<T>& g,
                                       const MmaBlock& block)
      : p_(p), group_c_(static_cast<int>(p.C / p.groups)), c_(vector() * kVectorElements<T>) {
    const ImageStrides src = image_strides(Layout::kNHWC, p.C, p.H, p.W);
#pragma unroll
    for (int pass = 0; pass < kSrcPasses; ++pass) {
      const int64_t position = block.position + row() + pass * kRowStep;
      const bool exists = position < p.N * p.P * p.Q;
      const ConvWindow window = exists ? conv_window(p, src, conv_position(p, position))
                                       : ConvWindow{0, kOutside, kOutside};
      h_[pass] = window.h;
      w_[pass] = window.w;
      g_corner_[pass] = g.src + block.group * group_c_ + window.offset;
    }
    weight_pitch_ = p.R * p.S * g.channels;
    g_weights_ = g.weights + (block.group * g.packed_k + block.column + row()) * weight_pitch_ +
                 vector() * kVectorElements<T>;
    channels_ = static_cast<int>(g.channels);
  }

  // Begins to copy the next k-tile: channels innermost, then s, then r.
  __device__ __forceinline__ void copy(MmaRows<Tile::kBlockM>& s_src,
                                       MmaRows<Tile::kBlockN>& s_weights) {
    const int h = r_ * static_cast<int>(p_.dilation_h);
    const int w = s_ * static_cast<int>(p_.dilation_w);
    const int64_t offset = (h * p_.W + w) * p_.C + c_;
#pragma unroll
    for (int pass = 0; pass < kSrcPasses; ++pass) {
      const bool inside = c_ < group_c_ &&
                          static_cast<unsigned>(h_[pass] + h) < static_cast<unsigned>(p_.H) &&
                          static_cast<unsigned>(w_[pass] + w) < static_cast<unsigned>(p_.W);
      cp_async<16>(s_src.at(row() + pass * kRowStep, vector()), g_corner_[pass] + offset,
                   inside ? 16 : 0);
    }
#pragma unroll
    for (int pass = 0; pass < Tile::kBlockN / kRowStep; ++pass) {
      cp_async<16>(s_weights.at(row() + pass * kRowStep, vector()),
                   g_weights_ + pass * kRowStep * weight_pitch_, 16);
    }
    g_weights_ += kBlockK<T>;
    advance();
  }

 private:
  static constexpr int kRowStep = Tile::kThreads / kMmaRowVectors;
  static constexpr int kSrcPasses = Tile::kBlockM / kRowStep;
  static_assert(Tile::kBlockM % kRowStep == 0 && Tile::kBlockN % kRowStep == 0,
                "the passes cover the rows");
  __device__ static int row() { return threadIdx.x / kMmaRowVectors; }
  __device__ static int vector() { return threadIdx.x % kMmaRowVectors; }

  __device__ __forceinline__ void advance() {
    c_ += kBlockK<T>;
    if (c_ < channels_) return;
    c_ = vector() * kVectorElements<T>;
    if (++s_ < static_cast<int>(p_.S)) return;
    s_ = 0;
    ++r_;
  }

  const ConvProblem& p_;
  int group_c_, channels_, c_;
  int r_ = 0, s_ = 0;
  int h_[kSrcPasses], w_[kSrcPasses];
  const T* g_corner_[kSrcPasses];
  const T* g_weights_;
  int64_t weight_pitch_;
};

// Stores the block's results: neighbouring threads have neighbouring channels (NHWC) or positions.
template <typename Tile, typename T>
__device__ __forceinline__ void store_results(
    const ConvProblem& p, const MmaOperands<T>& g, const MmaBlock& block,
    const float (&s_results)[Tile::kBlockM][Tile::kPitch]) {
  const int64_t group_k = p.K / p.groups;
  const int64_t positions = p.N * p.P * p.Q;
  const bool channels_last = p.dst_layout == Layout::kNHWC;
  const int64_t area = channels_last ? 1 : p.P * p.Q;
#pragma unroll 1
  for (int e = threadIdx.x; e < Tile::kBlockM * Tile::kBlockN; e += Tile::kThreads) {
    const int row = channels_last ? e / Tile::kBlockN : e % Tile::kBlockM;
    const int column = channels_last ? e % Tile::kBlockN : e / Tile::kBlockM;
    const int64_t position = block.position + row;
    if (position >= positions || block.column + column >= group_k) continue;
    const int64_t k = block.group * group_k + block.column + column;
    const int64_t offset = (position / area * p.K + k) * area + position % area;
    float x = s_results[row][column];
    if (g.bias != nullptr) x += to_float(g.bias[k]);
    if (g.residual != nullptr) x += to_float(g.residual[offset]);
    g.dst[offset] = from_float<T>(activate<kActivationAtRunTime>(x, p.epilogue.activation));
  }
}

template <typename Tile, typename T>
__global__ __launch_bounds__(Tile::kThreads) void conv_implicit_gemm_mma_kernel(
    const __grid_constant__ ConvProblem p, const __grid_constant__ MmaOperands<T> g) {
  __shared__ __align__(16) MmaShared<Tile> s_tiles;
  const MmaBlock block = mma_block<Tile>(p, g.packed_k);
  const WarpPosition warp = warp_position<Tile>();
  MmaReader<Tile, T> reader(p, g, block);
  const int k_tiles = static_cast<int>(p.R * p.S * (g.channels / kBlockK<T>));
  // One group of copies per k-tile, empty after the last.
  const auto copy_k_tile = [&](int tile, int stage) {
    if (tile < k_tiles) reader.copy(s_tiles.stages.src[stage], s_tiles.stages.weights[stage]);
    cp_async_commit();
  };
  constexpr int kAhead = Tile::kStages - 1;
  for (int i = 0; i < kAhead; ++i) copy_k_tile(i, i);
  float r_acc[Tile::kMmasM][Tile::kMmasN][4] = {};
  int stage = 0;
  for (int tile = 0; tile < k_tiles; ++tile) {
    cp_async_wait<kAhead - 1>();
    __syncthreads();  // this k-tile is there for all threads, and all have read the one before
    copy_k_tile(tile + kAhead, (stage + kAhead) % Tile::kStages);
    multiply_mma_tile<Tile, T>(s_tiles.stages.src[stage], s_tiles.stages.weights[stage], warp,
                               r_acc);
    stage = (stage + 1) % Tile::kStages;
  }
  cp_async_wait<0>();
  __syncthreads();
  stage_results<Tile>(r_acc, warp, s_tiles.results);
  __syncthreads();
  store_results<Tile>(p, g, block, s_tiles.results);
}

// packed (groups, packed_k, R * S, channels) = weights (K, C / groups, R, S), zeros between.
template <typename T>
__global__ __launch_bounds__(kElementwiseThreads) void pack_channels_last_kernel(
    const __grid_constant__ ConvProblem p, const T* __restrict__ g_weights,
    T* __restrict__ g_packed, int64_t packed_k, int64_t channels) {
  const int64_t taps = p.R * p.S;
  const int64_t group_k = p.K / p.groups;
  const int64_t group_c = p.C / p.groups;
  const int64_t count = p.groups * packed_k * taps * channels;
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    const int64_t c = i % channels;
    const int64_t tap = i / channels % taps;
    const int64_t row = i / channels / taps;
    const int64_t k = row % packed_k;
    const int64_t from = ((row / packed_k * group_k + k) * group_c + c) * taps + tap;
    g_packed[i] = c < group_c && k < group_k ? g_weights[from] : from_float<T>(0.0f);
  }
}

Support supports(const ConvProblem& p, const DeviceInfo& device) {
  if (const Support cores = support_tensor_cores(p); !cores.ok()) return cores;
  if (const Support async = support_async_copies(device); !async.ok()) return async;
  const auto vector = kMmaVectorBytes / static_cast<int64_t>(dtype_size_bytes(p.dtype));
  if (p.C == 0 || p.C / p.groups % vector != 0) {
    return Support::no("C / groups = " + std::to_string(p.C / p.groups) + " is not a multiple of " +
                       std::to_string(vector));
  }
  if (p.C * p.R * p.S >= int64_t{1} << 30) return Support::no("over 2^30 products per output");
  return support_conv_geometry(p);
}

int64_t padded_channels(const ConvProblem& p) {
  constexpr int64_t kRowBytes = int64_t{kMmaVectorBytes} * kMmaRowVectors;
  const auto size = static_cast<int64_t>(dtype_size_bytes(p.dtype));
  return round_up<int64_t>(p.C / p.groups, kRowBytes / size);
}

size_t packed_bytes(const ConvProblem& p) {
  const int64_t rows = p.groups * round_up(p.K / p.groups, kPackedRows) * p.R * p.S;
  return static_cast<size_t>(rows * padded_channels(p)) * dtype_size_bytes(p.dtype);
}

// Where src has to be transposed, what that takes.
size_t transposed_bytes(const ConvProblem& p) {
  if (p.src_layout == Layout::kNHWC) return 0;
  return static_cast<size_t>(p.N * p.C * p.H * p.W) * dtype_size_bytes(p.dtype);
}

template <typename T>
class ConvImplicitGemmMma final : public PackedConv {
 public:
  ConvImplicitGemmMma(Device& device, const ConvProblem& problem)
      : PackedConv(device, packed_bytes(problem), transposed_bytes(problem)),
        problem_(problem),
        packed_k_(round_up(problem.K / problem.groups, kPackedRows)),
        uses_large_(blocks_of<LargeTile>() >= device.info().multiprocessors) {}

 private:
  template <typename Tile>
  int64_t blocks_of() const {
    const ConvProblem& p = problem_;
    return ceil_div<int64_t>(p.N * p.P * p.Q, Tile::kBlockM) * p.groups * packed_k_ / Tile::kBlockN;
  }

  Status pack(const void* weights, void* packed, Stream& stream) override {
    const int64_t count = static_cast<int64_t>(packed_bytes(problem_) / sizeof(T));
    return tessera::cuda::launch(pack_channels_last_kernel<T>, elementwise_blocks(count),
                                 kElementwiseThreads, 0, stream, problem_,
                                 static_cast<const T*>(weights), static_cast<T*>(packed), packed_k_,
                                 padded_channels(problem_));
  }

  Status run(const Operands& operands, const void* packed, void* scratch, Stream& stream) override {
    const ConvProblem& p = problem_;
    const void* src = input<void>(operands, ConvProblem::kSrc);
    if (p.src_layout != Layout::kNHWC) {
      BatchedTranspose transpose;
      transpose.dtype = p.dtype;
      transpose.batch = p.N;
      transpose.rows = p.C;
      transpose.columns = p.H * p.W;
      const void* inputs[] = {src};
      TESSERA_RETURN_IF_ERROR(launch_batched_transpose(transpose, {inputs, scratch}, stream));
      src = scratch;
    }
    const MmaOperands<T> g = {static_cast<const T*>(src),
                              static_cast<const T*>(packed),
                              input<T>(operands, ConvProblem::kBias),
                              input<T>(operands, ConvProblem::kResidual),
                              output<T>(operands),
                              packed_k_,
                              padded_channels(p)};
    if (uses_large_) return launch_with<LargeTile>(g, stream);
    return launch_with<SmallTile>(g, stream);
  }

  template <typename Tile>
  Status launch_with(const MmaOperands<T>& g, Stream& stream) const {
    return tessera::cuda::launch(conv_implicit_gemm_mma_kernel<Tile, T>, blocks_of<Tile>(),
                                 Tile::kThreads, 0, stream, problem_, g);
  }

  ConvProblem problem_;
  int64_t packed_k_;
  bool uses_large_;
};

template <typename T>
std::unique_ptr<Kernel> make_kernel(const ConvProblem& problem, Device& device) {
  return std::make_unique<ConvImplicitGemmMma<T>>(device, problem);
}

Result<std::unique_ptr<Kernel>> create(const Problem& any_problem, Device& device) {
  const auto& p = std::get<ConvProblem>(any_problem);
  if (p.dtype == DType::kF16) return make_kernel<__half>(p, device);
  if (p.dtype == DType::kBF16) return make_kernel<__nv_bfloat16>(p, device);
  return make_kernel<float>(p, device);
}

}  // namespace

const KernelEntry conv_implicit_gemm_mma_entry = {
    "conv_implicit_gemm_mma",
    ConvProblem::kFamily,
    "one matrix product per group on tensor cores, channels contiguous, its rows gathered from src",
    [](const Problem& problem, const DeviceInfo& device) {
      return supports(std::get<ConvProblem>(problem), device);
    },
    create,
    [](const Problem&, const DeviceInfo&) {
      return LayoutPreference{Layout::kNHWC, Layout::kNHWC};
    }};

}  // namespace tessera::cuda
