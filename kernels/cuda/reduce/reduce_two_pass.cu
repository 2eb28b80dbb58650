// SPDX-License-Identifier: Apache-2.0
// reduce_two_pass: few results of long rows. The rows are cut into chunks, as many as keep the
// device busy; a block reduces each to a partial result in the workspace, and a second launch
// merges those of each row. No atomics, so that the order of the sum is always the same.
//
//   operands  float32, float16 or bfloat16; axis >= 16384 and fewer results than two blocks for
//   each
//             multiprocessor
//   alignment that of the element; contiguous rows of whole vectors are read 16 bytes at a time
//   workspace 8 bytes for each chunk
//   sum       float32: each thread its elements in order, then a fixed tree, then the chunks;
//             deterministic on devices with the same number of multiprocessors
#include <algorithm>

#include "core/math.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/reduce/reducer.cuh"
#include "kernels/cuda/support.h"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kThreads = 256;
  static constexpr int64_t kMinAxis = 16384;
  static constexpr int kBlocksPerMultiprocessor = 8;  // all that fit at once
  static constexpr int64_t kMinChunk = 4096;          // elements: less is not worth a block
};

template <typename T, typename Reducer, int kCount>
__global__ __launch_bounds__(Config::kThreads) void reduce_chunks_kernel(
    const __grid_constant__ ReduceProblem p, const T* src, Reduced* partials, int chunks) {
  __shared__ Reduced s_warps[Config::kThreads / kWarpSize];
  const int64_t result = blockIdx.x / chunks;
  const int chunk = blockIdx.x % chunks;
  const int64_t accesses = p.axis / kCount;
  const int64_t length = ceil_div<int64_t>(accesses, chunks);
  const int64_t begin = chunk * length;
  const T* g_row = src + result / p.inner * p.axis * p.inner + result % p.inner;
  const Reduced part =
      reduce_part<Reducer, kCount>(g_row, p.inner * kCount, begin + threadIdx.x, Config::kThreads,
                                   min(begin + length, accesses));
  const Reduced reduced = merge_block<Reducer, Config::kThreads>(part, s_warps);
  if (threadIdx.x == 0) partials[blockIdx.x] = reduced;
}

template <typename T, typename Reducer>
__global__ __launch_bounds__(Config::kThreads) void merge_chunks_kernel(const Reduced* partials,
                                                                        T* dst, int chunks,
                                                                        ReduceKind kind,
                                                                        int64_t axis) {
  __shared__ Reduced s_warps[Config::kThreads / kWarpSize];
  const Reduced* g_partials = partials + static_cast<int64_t>(blockIdx.x) * chunks;  // (chunks)
  Reduced reduced = Reducer::identity();
  for (int i = threadIdx.x; i < chunks; i += Config::kThreads) {
    reduced = Reducer::merge(reduced, g_partials[i]);
  }
  reduced = merge_block<Reducer, Config::kThreads>(reduced, s_warps);
  if (threadIdx.x == 0) dst[blockIdx.x] = from_float<T>(finish(kind, reduced, axis));
}

class ReduceTwoPass final : public Kernel {
 public:
  ReduceTwoPass(const ReduceProblem& problem, const DeviceInfo& device) : problem_(problem) {
    const int64_t wanted = int64_t{device.multiprocessors} * Config::kBlocksPerMultiprocessor;
    const int64_t most = ceil_div(problem.axis, Config::kMinChunk);
    chunks_ =
        static_cast<int>(std::clamp<int64_t>(wanted / std::max<int64_t>(results(), 1), 1, most));
  }

  [[nodiscard]] size_t workspace_bytes() const override {
    return static_cast<size_t>(results() * chunks_) * sizeof(Reduced);
  }

  Status launch(const Operands& operands, Stream& stream) override {
    return dispatch_float(problem_.dtype, [&]<typename T>() {
      return dispatch_reducer(problem_.kind, [&]<typename Reducer>() {
        return launch_with<T, Reducer>(operands, stream);
      });
    });
  }

 private:
  [[nodiscard]] int64_t results() const { return problem_.outer * problem_.inner; }

  template <typename T, typename Reducer>
  Status launch_with(const Operands& operands, Stream& stream) {
    const T* src = input<T>(operands, ReduceProblem::kSrc);
    auto* partials = static_cast<Reduced*>(operands.workspace);
    const auto kernel = has_vector_rows(problem_, src)
                            ? reduce_chunks_kernel<T, Reducer, kVectorElements<T>>
                            : reduce_chunks_kernel<T, Reducer, 1>;
    TESSERA_RETURN_IF_ERROR(cuda::launch(kernel, results() * chunks_, Config::kThreads, 0, stream,
                                         problem_, src, partials, chunks_));
    return cuda::launch(merge_chunks_kernel<T, Reducer>, results(), Config::kThreads, 0, stream,
                        partials, output<T>(operands), chunks_, problem_.kind, problem_.axis);
  }

  ReduceProblem problem_;
  int chunks_ = 1;
};

Support supports(const Problem& problem, const DeviceInfo& device) {
  const auto& p = std::get<ReduceProblem>(problem);
  if (p.axis < Config::kMinAxis) {
    return Support::no("axis = " + std::to_string(p.axis) + " is less than " +
                       std::to_string(Config::kMinAxis));
  }
  if (p.outer * p.inner >= 2 * int64_t{device.multiprocessors}) {
    return Support::no(std::to_string(p.outer * p.inner) +
                       " results keep the device busy without cutting the rows");
  }
  return support_float(p.dtype);
}

Result<std::unique_ptr<Kernel>> create(const Problem& problem, Device& device) {
  return std::unique_ptr<Kernel>(
      std::make_unique<ReduceTwoPass>(std::get<ReduceProblem>(problem), device.info()));
}

}  // namespace

const KernelEntry reduce_two_pass_entry = {"reduce_two_pass", ReduceProblem::kFamily,
                                           "chunks of the rows, then their partial results",
                                           supports, create};

}  // namespace tessera::cuda
