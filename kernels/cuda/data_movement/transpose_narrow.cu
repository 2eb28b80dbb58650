// SPDX-License-Identifier: Apache-2.0
// Transposes of matrices with at most 16 rows or columns: between planes, `narrow` rows of `length`
// elements, and interleaved groups, `length` rows of `narrow` elements. A block passes a stretch of
// all planes through shared memory; the stretch is contiguous where it is interleaved.
#include "core/math.h"
#include "kernels/cuda/data_movement/batched_transpose.h"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/vector.cuh"

namespace tessera::cuda {
namespace {

struct Config {
  static constexpr int kThreads = 128;
  static constexpr int kUnroll = 4;  // vectors that a thread has on their way at once
  static constexpr int kStretchBytes = kThreads * kVectorBytes;  // of each plane
  static_assert(kStretchBytes * kMostNarrow * 33 / 32 <= (48 << 10), "shared memory of a block");
};

// Where interleaved element k lies in shared memory: a gap after every 32 spreads the strides that
// are powers of two over the banks.
__host__ __device__ constexpr int skewed(int k) { return k + (k >> 5); }

// Calls function(position) for the positions 0, kCount, 2 * kCount, ... below `end` that are this
// thread's.
template <int kCount, typename Function>
__device__ __forceinline__ void for_positions(int end, Function&& function) {
  for (int i = threadIdx.x * kCount; i < end; i += Config::kThreads * kCount) function(i);
}

// Copies `pieces` pieces of `length` elements, piece i from g_first + i * pitch, into shared
// memory: element j of piece i goes to place(i, j).
template <int kCount, typename T, typename Place>
__device__ __forceinline__ void read_pieces(const T* g_first, int pieces, int64_t pitch, int length,
                                            T* s_elements, Place&& place) {
  for (int first = 0; first < pieces; first += Config::kUnroll) {
    for_positions<kCount>(length, [&](int j) {
      Vector<T, kCount> r_vector[Config::kUnroll];
#pragma unroll
      for (int u = 0; u < Config::kUnroll; ++u) {
        if (first + u < pieces) {
          r_vector[u] = load_vector<kCount>(g_first + (first + u) * pitch + j);
        }
      }
#pragma unroll
      for (int u = 0; u < Config::kUnroll; ++u) {
        if (first + u >= pieces) break;
#pragma unroll
        for (int e = 0; e < kCount; ++e) {
          s_elements[place(first + u, j + e)] = r_vector[u].element[e];
        }
      }
    });
  }
}

// The other way round.
template <int kCount, typename T, typename Place>
__device__ __forceinline__ void write_pieces(T* g_first, int pieces, int64_t pitch, int length,
                                             const T* s_elements, Place&& place) {
  for (int i = 0; i < pieces; ++i) {
    for_positions<kCount>(length, [&](int j) {
      Vector<T, kCount> vector;
#pragma unroll
      for (int e = 0; e < kCount; ++e) vector.element[e] = s_elements[place(i, j + e)];
      store_vector<kCount>(g_first + i * pitch + j, vector);
    });
  }
}

// kCount elements an access: requires that length is a multiple of it.
template <typename T, int kCount, bool kInterleave>
__global__ __launch_bounds__(Config::kThreads) void transpose_narrow_kernel(const T* src, T* dst,
                                                                            int narrow,
                                                                            int64_t length) {
  constexpr int kStretch = Config::kStretchBytes / static_cast<int>(sizeof(T));
  extern __shared__ __align__(kVectorBytes) unsigned char s_bytes[];
  T* s_elements = reinterpret_cast<T*>(s_bytes);  // (stretch, narrow), skewed
  // The grid has fewer than 2^31 blocks.
  const auto stretches = static_cast<uint32_t>(ceil_div<int64_t>(length, kStretch));
  const int64_t first = static_cast<int64_t>(blockIdx.x % stretches) * kStretch;
  const int64_t matrix = blockIdx.x / stretches * (narrow * length);
  const int stretch = static_cast<int>(min(length - first, static_cast<int64_t>(kStretch)));
  const int64_t planes = matrix + first;
  const int64_t groups = matrix + first * narrow;
  const auto in_plane = [narrow](int plane, int i) { return skewed(i * narrow + plane); };
  const auto in_groups = [](int, int k) { return skewed(k); };

  if constexpr (kInterleave) {
    read_pieces<kCount>(src + planes, narrow, length, stretch, s_elements, in_plane);
    __syncthreads();
    write_pieces<kCount>(dst + groups, 1, 0, stretch * narrow, s_elements, in_groups);
  } else {
    read_pieces<kCount>(src + groups, 1, 0, stretch * narrow, s_elements, in_groups);
    __syncthreads();
    write_pieces<kCount>(dst + planes, narrow, length, stretch, s_elements, in_plane);
  }
}

template <typename T, int kCount>
Status launch_with(const BatchedTranspose& t, const Operands& operands, Stream& stream) {
  constexpr int kStretch = Config::kStretchBytes / static_cast<int>(sizeof(T));
  const bool interleave = t.rows <= kMostNarrow;
  const int64_t narrow = interleave ? t.rows : t.columns;
  const int64_t length = interleave ? t.columns : t.rows;
  const int elements = skewed(static_cast<int>(narrow) * kStretch);
  const auto kernel = interleave ? transpose_narrow_kernel<T, kCount, true>
                                 : transpose_narrow_kernel<T, kCount, false>;
  return launch(kernel, t.batch * ceil_div<int64_t>(length, kStretch), Config::kThreads,
                static_cast<size_t>(elements) * sizeof(T), stream,
                input<T>(operands, TransposeProblem::kSrc), output<T>(operands),
                static_cast<int>(narrow), length);
}

}  // namespace

Status launch_narrow_transpose(const BatchedTranspose& t, const Operands& operands,
                               Stream& stream) {
  return dispatch_element_size(t.dtype, [&]<typename T>() {
    constexpr int kVector = kVectorElements<T>;
    const int64_t length = t.rows <= kMostNarrow ? t.columns : t.rows;
    const bool vectors =
        length % kVector == 0 &&
        are_aligned(kVectorBytes, input<T>(operands, TransposeProblem::kSrc), output<T>(operands));
    return vectors ? launch_with<T, kVector>(t, operands, stream)
                   : launch_with<T, 1>(t, operands, stream);
  });
}

}  // namespace tessera::cuda
