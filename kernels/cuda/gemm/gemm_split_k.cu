// SPDX-License-Identifier: Apache-2.0
// gemm_split_k: D = activation(alpha * op(A) * op(B) + beta * bias + residual) for a small D and a
// long K, which no tiling of D alone spreads over a GPU: K is cut into chunks, each chunk's product
// is computed by gemm_warp_tile as one matrix of a batch, and a second kernel adds them up.
//
//   operands  float32, no batch, K of at least 2 * kMinChunk, D of few tiles; any M, N, lda, ldb,
//             ldd, transposes
//   workspace the chunks' products, splits * M * N floats
//   sum       float32: within a chunk k ascending, then chunks ascending; deterministic
#include <algorithm>
#include <array>
#include <memory>

#include "kernels/cuda/gemm/gemm_operands.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

// Shorter chunks cost more in adding up than they gain.
constexpr int64_t kMinChunk = 128;
// The tile by which D is counted: that of gemm_warp_tile for small products.
constexpr int64_t kTileM = 32;
constexpr int64_t kTileN = 64;
constexpr int64_t kChunkMultiple = 32;  // whole k-tiles, and chunks that begin at 16 bytes

struct Split {
  int64_t chunks;  // of chunk elements of K each; what is left over is one chunk more
  int64_t chunk;
  int64_t rest;

  [[nodiscard]] int64_t count() const { return chunks + (rest > 0 ? 1 : 0); }
};

int64_t tiles(const GemmProblem& p) { return ceil_div(p.M, kTileM) * ceil_div(p.N, kTileN); }

// As many chunks as give every multiprocessor two tiles.
Split split(const GemmProblem& p, int multiprocessors) {
  const int64_t wanted = std::clamp<int64_t>(2 * multiprocessors / std::max<int64_t>(tiles(p), 1),
                                             1, std::max<int64_t>(p.K / kMinChunk, 1));
  const int64_t chunk = round_up(ceil_div(p.K, wanted), kChunkMultiple);
  return {p.K / chunk, chunk, p.K % chunk};
}

// The products of the chunks, as a batch: chunk c begins c * chunk elements further along k.
GemmProblem chunk_products(const GemmProblem& p, const Split& split) {
  GemmProblem products = p;
  products.K = split.chunk;
  products.ldd = p.N;
  products.alpha = 1.0f;
  products.epilogue = {};
  products.batch_rank = 1;
  products.batch_extent[0] = split.chunks;
  products.batch_stride_a[0] = split.chunk * (p.transpose_a ? p.lda : 1);
  products.batch_stride_b[0] = split.chunk * (p.transpose_b ? 1 : p.ldb);
  return products;
}

__global__ void add_chunks_kernel(const __grid_constant__ GemmProblem p, GemmOperands<float> g,
                                  const float* g_products, int64_t chunks) {
  const int64_t count = p.M * p.N;
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    float sum = 0.0f;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += g_products[chunk * count + i];
    store_gemm_output<kActivationAtRunTime>(p, g, 0, i / p.N, i % p.N, p.alpha * sum);
  }
}

class GemmSplitK final : public Kernel {
 public:
  GemmSplitK(const GemmProblem& problem, const Split& split, std::unique_ptr<Kernel> products,
             std::unique_ptr<Kernel> rest)
      : problem_(problem), split_(split), products_(std::move(products)), rest_(std::move(rest)) {}

  [[nodiscard]] size_t workspace_bytes() const override {
    return static_cast<size_t>(split_.count() * problem_.M * problem_.N) * sizeof(float);
  }

  Status launch(const Operands& operands, Stream& stream) override {
    const GemmProblem& p = problem_;
    auto* products = static_cast<float*>(operands.workspace);
    const float* a = input<float>(operands, GemmProblem::kA);
    const float* b = input<float>(operands, GemmProblem::kB);
    TESSERA_RETURN_IF_ERROR(multiply(*products_, a, b, products, stream));
    if (rest_ != nullptr) {
      const int64_t done = split_.chunks * split_.chunk;
      TESSERA_RETURN_IF_ERROR(multiply(*rest_, a + done * (p.transpose_a ? p.lda : 1),
                                       b + done * (p.transpose_b ? 1 : p.ldb),
                                       products + split_.chunks * p.M * p.N, stream));
    }
    return cuda::launch(add_chunks_kernel, elementwise_blocks(p.M * p.N), kElementwiseThreads, 0,
                        stream, p, gemm_operands<float>(operands), products, split_.count());
  }

 private:
  static Status multiply(Kernel& kernel, const float* a, const float* b, float* d, Stream& stream) {
    const std::array<const void*, 4> inputs = {a, b, nullptr, nullptr};
    return kernel.launch({inputs, d, nullptr}, stream);
  }

  GemmProblem problem_;
  Split split_;
  std::unique_ptr<Kernel> products_;
  std::unique_ptr<Kernel> rest_;  // null when the chunks divide K
};

Support supports(const Problem& any_problem, const DeviceInfo& device) {
  const auto& problem = std::get<GemmProblem>(any_problem);
  if (problem.batch_rank > 0) return Support::no("a batch has enough products to run side by side");
  if (problem.K < 2 * kMinChunk) {
    return Support::no("K = " + std::to_string(problem.K) + " is too short to be cut in two");
  }
  if (2 * tiles(problem) > device.multiprocessors) {
    return Support::no("D has " + std::to_string(tiles(problem)) +
                       " tiles, enough for the multiprocessors without cutting K");
  }
  return gemm_warp_tile_entry.supports(any_problem, device);
}

Result<std::unique_ptr<Kernel>> create(const Problem& any_problem, Device& device) {
  const auto& problem = std::get<GemmProblem>(any_problem);
  const Split chunks = split(problem, device.info().multiprocessors);
  const GemmProblem products = chunk_products(problem, chunks);
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> whole,
                           gemm_warp_tile_entry.create(products, device));
  std::unique_ptr<Kernel> rest;
  if (chunks.rest > 0) {
    GemmProblem last = products;
    last.K = chunks.rest;
    last.batch_extent[0] = 1;
    TESSERA_ASSIGN_OR_RETURN(rest, gemm_warp_tile_entry.create(last, device));
  }
  return std::unique_ptr<Kernel>(
      std::make_unique<GemmSplitK>(problem, chunks, std::move(whole), std::move(rest)));
}

}  // namespace

const KernelEntry gemm_split_k_entry = {
    "gemm_split_k", GemmProblem::kFamily,
    "gemm_warp_tile on chunks of a long K, added up in order by a second kernel", supports, create};

}  // namespace tessera::cuda
