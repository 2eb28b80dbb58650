// SPDX-License-Identifier: Apache-2.0
// gemm_wgmma: D = activation(alpha * op(A) * op(B) + beta * bias + residual) as Hopper means it.
// One thread of a block has the copy engine fill a ring of stages in shared memory; the other
// warps, four together, multiply straight from there with wgmma, whose results alone are in
// registers. Nothing but two barriers a stage passes between them, so that the tensor cores are
// never without work while a tile lasts. Blocks live as long as there are tiles: the first stages
// of the next tile arrive during the epilogue of this one. Two blocks of a cluster compute tiles
// below each other and send one another half of their common columns of B, which halves what B
// costs the L2.
//
//   operands  float16 or bfloat16; any M, N, K >= 1, ldd, transposes; lda and ldb multiples of 8;
//             no batch
//   alignment 16 bytes of A and B
//   device    compute capability 9.0 and no other: wgmma is not in later ones
//   sum       float32 in the tensor cores' order, k-tiles ascending; deterministic
//
// Sources: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"; CUDA C++ Programming Guide,
// "Asynchronous Data Copies using the Tensor Memory Accelerator" and "Thread Block Clusters".
#include <algorithm>
#include <memory>

#include "kernels/cuda/gemm/gemm_block.cuh"
#include "kernels/cuda/gemm/mma_tile.cuh"
#include "kernels/cuda/gemm/tensor_map.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ptx/mbarrier.cuh"
#include "kernels/cuda/ptx/tensor_copy.cuh"
#include "kernels/cuda/ptx/wgmma.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

constexpr int kWarpgroupThreads = 128;
constexpr int kWarpgroupWarps = kWarpgroupThreads / 32;

// Tile (BlockM, BlockN) of D a block, kWgmmaM rows of it a warpgroup; Cluster blocks below each
// other share the columns of B.
template <int BlockM, int BlockN, int Stages, int Cluster, int BlocksPerMultiprocessor>
struct WgmmaTile {
  static constexpr int kBlockM = BlockM;
  static constexpr int kBlockN = BlockN;
  static constexpr int kBlockK = kSwizzleElements;
  static constexpr int kStages = Stages;
  static constexpr int kCluster = Cluster;
  static constexpr int kBlocksPerMultiprocessor = BlocksPerMultiprocessor;
  static constexpr int kConsumers = BlockM / kWgmmaM;  // warpgroups
  static constexpr int kThreads = (1 + kConsumers) * kWarpgroupThreads;
  static constexpr int kShareN = BlockN / Cluster;  // columns of B that a block copies
  static constexpr int kStageBytes = (BlockM + BlockN) * kSwizzleBytes;

  static_assert(BlockM % kWgmmaM == 0 && kShareN % kSwizzleElements == 0 && kShareN <= 256,
                "whole warpgroups and boxes");
};

// Half of a warpgroup's registers are results. Two consumers take what the producer gives up.
using LargeTile = WgmmaTile<128, 256, 4, 2, 1>;
constexpr int kProducerRegisters = 40;
constexpr int kConsumerRegisters = 232;
// For products that are too small to give every multiprocessor one of those.
using SmallTile = WgmmaTile<64, 128, 4, 1, 2>;

// The tiles of a cluster as one.
template <typename Tile>
struct ClusterTile {
  static constexpr int kBlockM = Tile::kBlockM * Tile::kCluster;
  static constexpr int kBlockN = Tile::kBlockN;
};

// What one thread tells the copy engine.
struct TensorMaps {
  CUtensorMap a, b;
};

template <typename T, typename Tile>
struct alignas(kSwizzlePatternBytes) SharedMemory {
  T a[Tile::kStages][Tile::kBlockM * Tile::kBlockK];
  T b[Tile::kStages][Tile::kBlockN * Tile::kBlockK];
  MBarrier full[Tile::kStages];   // the copies have arrived
  MBarrier empty[Tile::kStages];  // all warps of the cluster have multiplied what was there
};

// A place in the ring and the parity of its phase.
template <int kStages>
struct StagePhase {
  int stage = 0;
  uint32_t parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage < kStages) return;
    stage = 0;
    parity ^= 1;
  }
};

// Copies the k-tile at k of kExtent rows of A or columns of B from x on, by copy(row, column,
// offset in the stage), in boxes as matrix_descriptor wants them.
template <bool kKFastest, int kExtent, typename Copy>
__device__ __forceinline__ void copy_boxes(int x, int k, Copy&& copy) {
  if constexpr (kKFastest) {
    copy(x, k, 0);
  } else {
#pragma unroll
    for (int i = 0; i < kExtent / kSwizzleElements; ++i) {
      copy(k, x + i * kSwizzleElements, i * kBoxBytes / 2);
    }
  }
}

// One block's work: the tiles it computes, and what its warpgroups do for each.
template <typename T, typename Tile, bool kTransposeA, bool kTransposeB>
class GemmWgmma {
  static constexpr bool kKFastestA = !kTransposeA;
  static constexpr bool kKFastestB = kTransposeB;

 public:
  using Shared = SharedMemory<T, Tile>;

  __device__ __forceinline__ GemmWgmma(const GemmProblem& p, uint32_t tiles, Shared& s)
      : p_(p),
        s_(s),
        tiles_(tiles),
        rank_(Tile::kCluster > 1 ? block_rank_in_cluster() : 0),
        k_tiles_(static_cast<int>((p.K + Tile::kBlockK - 1) / Tile::kBlockK)) {}

  // By all threads, before anything else.
  __device__ __forceinline__ void init_barriers() {
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < Tile::kStages; ++stage) {
        s_.full[stage].init(1);
        s_.empty[stage].init(Tile::kConsumers * kWarpgroupWarps * Tile::kCluster);
      }
      fence_mbarrier_init();
    }
    sync();
  }

  // By all threads at the end: no block leaves while another may still write to its memory.
  __device__ __forceinline__ void sync() {
    if constexpr (Tile::kCluster > 1) {
      __syncwarp();
      sync_cluster();
    } else {
      __syncthreads();
    }
  }

  // By one thread: fills the stages for all tiles.
  __device__ __forceinline__ void produce(const TensorMaps& maps) {
    prefetch_tensor_map(maps.a);
    prefetch_tensor_map(maps.b);
    for_each_tile([&](const BlockPosition& block) {
      for (int tile = 0; tile < k_tiles_; ++tile) {
        s_.empty[place_.stage].wait(place_.parity ^ 1);
        s_.full[place_.stage].arrive_and_expect(Tile::kStageBytes);
        copy_k_tile(maps, block, tile * Tile::kBlockK);
        place_.advance();
      }
    });
  }

  // By the warpgroups 0, 1, ... of consumers: multiplies what is in the stages, and stores.
  __device__ __forceinline__ void consume(const GemmOperands<T>& g, int consumer) {
    for_each_tile([&](const BlockPosition& block) {
      float r_acc[1][Tile::kBlockN / 8][4] = {};
      for (int tile = 0; tile < k_tiles_; ++tile) {
        s_.full[place_.stage].wait(place_.parity);
        multiply_stage(consumer, r_acc[0]);
        // One group stays under way, so that the tensor cores go from one to the next at once; the
        // stage of the one before it has been read.
        wait_for_products<1>();
        if (tile > 0) release(last_stage_);
        last_stage_ = place_.stage;
        place_.advance();
      }
      finish_products(r_acc[0]);
      release(last_stage_);
      const int warp = threadIdx.x / 32 % kWarpgroupWarps;
      const int lane = threadIdx.x % 32;
      store_gemm_results(p_, g, block, consumer * kWgmmaM + warp * 16 + lane / 4, lane % 4 * 2,
                         MmaResults{r_acc});
    });
  }

 private:
  template <typename Function>
  __device__ __forceinline__ void for_each_tile(Function&& function) {
    for (uint32_t tile = blockIdx.x / Tile::kCluster; tile < tiles_;
         tile += gridDim.x / Tile::kCluster) {
      BlockPosition block = panel_position<ClusterTile<Tile>>(p_, tile);
      block.m += rank_ * Tile::kBlockM;
      function(block);
    }
  }

  __device__ __forceinline__ void copy_k_tile(const TensorMaps& maps, const BlockPosition& block,
                                              int k) {
    MBarrier& full = s_.full[place_.stage];
    T* s_a = s_.a[place_.stage];
    copy_boxes<kKFastestA, Tile::kBlockM>(static_cast<int>(block.m), k,
                                          [&](int row, int column, int offset) {
                                            copy_box(maps.a, row, column, s_a + offset, full);
                                          });
    const int first = static_cast<int>(rank_) * Tile::kShareN;
    T* s_b = s_.b[place_.stage] + first * Tile::kBlockK;
    copy_boxes<kKFastestB, Tile::kShareN>(
        static_cast<int>(block.n) + first, k, [&](int row, int column, int offset) {
          if constexpr (Tile::kCluster > 1) {
            constexpr uint16_t kAll = (1 << Tile::kCluster) - 1;
            copy_box_to_blocks(maps.b, row, column, s_b + offset, full, kAll);
          } else {
            copy_box(maps.b, row, column, s_b + offset, full);
          }
        });
  }

  // Begins the products of the stage in place, one group.
  __device__ __forceinline__ void multiply_stage(int consumer,
                                                 float (&r_acc)[Tile::kBlockN / 8][4]) {
    const uint64_t a = matrix_descriptor<kKFastestA>(shared_address(s_.a[place_.stage]) +
                                                     consumer * kWgmmaM * kSwizzleBytes);
    const uint64_t b = matrix_descriptor<kKFastestB>(shared_address(s_.b[place_.stage]));
    fence_warpgroup();
#pragma unroll
    for (int step = 0; step < Tile::kBlockK / kWgmmaK; ++step) {
      multiply_descriptors<T, kKFastestA, kKFastestB>(
          a + step * kDescriptorStep<kKFastestA>, b + step * kDescriptorStep<kKFastestB>, r_acc);
    }
    commit_products();
  }

  // Tells every block of the cluster that this warp has read a stage.
  __device__ __forceinline__ void release(int stage) {
    const uint32_t lane = threadIdx.x % 32;
    if (lane < Tile::kCluster) s_.empty[stage].arrive_in_block(lane);
  }

  const GemmProblem& p_;
  Shared& s_;
  uint32_t tiles_;
  uint32_t rank_;
  int k_tiles_;
  StagePhase<Tile::kStages> place_;
  int last_stage_ = 0;
};

template <typename T, typename Tile, bool kTransposeA, bool kTransposeB>
__global__ __cluster_dims__(Tile::kCluster)
    __launch_bounds__(Tile::kThreads, Tile::kBlocksPerMultiprocessor) void gemm_wgmma_kernel(
        const __grid_constant__ GemmProblem p, const __grid_constant__ GemmOperands<T> g,
        const __grid_constant__ TensorMaps maps, uint32_t tiles) {
  using Gemm = GemmWgmma<T, Tile, kTransposeA, kTransposeB>;
  constexpr bool kMovesRegisters = Tile::kBlocksPerMultiprocessor == 1;
  extern __shared__ unsigned char s_memory[];
  const uint32_t misplaced = shared_address(s_memory) % kSwizzlePatternBytes;
  auto& s = *reinterpret_cast<typename Gemm::Shared*>(
      s_memory + (misplaced == 0 ? 0 : kSwizzlePatternBytes - misplaced));

  Gemm gemm(p, tiles, s);
  gemm.init_barriers();
  // From one lane, which tells the compiler that it is the same in all: descriptors are then
  // computed in uniform registers.
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroupThreads, 0);
  if (warpgroup == 0) {
    if constexpr (kMovesRegisters) release_registers<kProducerRegisters>();
    if (threadIdx.x == 0) gemm.produce(maps);
  } else {
    if constexpr (kMovesRegisters) claim_registers<kConsumerRegisters>();
    gemm.consume(g, warpgroup - 1);
  }
  gemm.sync();
}

Support support_device(const DeviceInfo& device) {
  if (device.compute_major == 9 && device.compute_minor == 0) return Support::yes();
  return Support::no("wgmma is in compute capability 9.0 alone, this device has " +
                     std::to_string(device.compute_major) + "." +
                     std::to_string(device.compute_minor));
}

Support supports(const Problem& any_problem, const DeviceInfo& device) {
  const auto& p = std::get<GemmProblem>(any_problem);
  const Support on_device = support_device(device);
  if (!on_device.ok()) return on_device;
  if (p.dtype != DType::kF16 && p.dtype != DType::kBF16) {
    return Support::no(std::string(dtype_name(p.dtype)) + " is not float16 or bfloat16");
  }
  if (p.batch() != 1) return Support::no("a batch of " + std::to_string(p.batch()) + " is not 1");
  if (p.K == 0) return Support::no("K = 0: there is nothing to copy");
  constexpr int64_t kMultiple = 16 / 2;  // the copy engine's rows are multiples of 16 bytes apart
  for (const auto& [name, value] : {std::pair{"lda", p.lda}, {"ldb", p.ldb}}) {
    if (value % kMultiple != 0) {
      return Support::no(std::string(name) + " = " + std::to_string(value) +
                         " is not a multiple of " + std::to_string(kMultiple));
    }
  }
  if (std::max({p.M, p.N, p.K}) > INT32_MAX) {
    return Support::no("M, N or K is over the limit of 2^31 - 1");
  }
  return Support::yes();
}

// The boxes of an operand, (extent, K) in memory where k is contiguous, else (K, extent).
Result<CUtensorMap> operand_map(DType dtype, const void* data, int64_t extent, int64_t k,
                                bool k_fastest, int64_t pitch, int box_extent) {
  BoxedMatrix matrix;
  matrix.dtype = dtype;
  matrix.data = data;
  matrix.rows = k_fastest ? extent : k;
  matrix.columns = k_fastest ? k : extent;
  matrix.pitch = pitch;
  matrix.box_rows = k_fastest ? box_extent : kSwizzleElements;
  return make_tensor_map(matrix);
}

class GemmWgmmaKernel final : public Kernel {
 public:
  GemmWgmmaKernel(const GemmProblem& problem, int multiprocessors)
      : problem_(problem), multiprocessors_(multiprocessors) {}

  Status launch(const Operands& operands, Stream& stream) override {
    // Large tiles where three of four multiprocessors get one.
    const bool large = 4 * gemm_blocks<LargeTile>(problem_) >= int64_t{3} * multiprocessors_;
    return large ? launch_tile<LargeTile>(operands, stream)
                 : launch_tile<SmallTile>(operands, stream);
  }

 private:
  template <typename Tile>
  Status launch_tile(const Operands& operands, Stream& stream) {
    return problem_.dtype == DType::kF16 ? launch_typed<__half, Tile>(operands, stream)
                                         : launch_typed<__nv_bfloat16, Tile>(operands, stream);
  }

  template <typename T, typename Tile>
  Status launch_typed(const Operands& operands, Stream& stream) {
    const GemmProblem& p = problem_;
    const GemmOperands<T> g = gemm_operands<T>(operands);
    TESSERA_ASSIGN_OR_RETURN(
        const CUtensorMap a,
        operand_map(p.dtype, g.a, p.M, p.K, !p.transpose_a, p.lda, Tile::kBlockM));
    TESSERA_ASSIGN_OR_RETURN(const CUtensorMap b, operand_map(p.dtype, g.b, p.N, p.K, p.transpose_b,
                                                              p.ldb, Tile::kShareN));
    const int64_t tiles = gemm_blocks<ClusterTile<Tile>>(p);
    const int64_t at_once =
        int64_t{multiprocessors_} * Tile::kBlocksPerMultiprocessor / Tile::kCluster;
    const int64_t blocks = std::min(tiles, at_once) * Tile::kCluster;
    return dispatch_transposes(p, [&]<bool kTransposeA, bool kTransposeB>() {
      return cuda::launch(gemm_wgmma_kernel<T, Tile, kTransposeA, kTransposeB>, blocks,
                          Tile::kThreads, sizeof(SharedMemory<T, Tile>) + kSwizzlePatternBytes,
                          stream, p, g, TensorMaps{a, b}, static_cast<uint32_t>(tiles));
    });
  }

  GemmProblem problem_;
  int multiprocessors_;
};

Result<std::unique_ptr<Kernel>> create(const Problem& any_problem, Device& device) {
  return Result<std::unique_ptr<Kernel>>(std::make_unique<GemmWgmmaKernel>(
      std::get<GemmProblem>(any_problem), device.info().multiprocessors));
}

}  // namespace

const KernelEntry gemm_wgmma_entry = {
    "gemm_wgmma", GemmProblem::kFamily,
    "Hopper: wgmma from shared memory that the copy engine fills, clusters of two blocks", supports,
    create};

}  // namespace tessera::cuda
