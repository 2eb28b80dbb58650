// SPDX-License-Identifier: Apache-2.0
// image_to_tensor: dst[n, c, h, w] = (src[n, h, w, c] * scale - mean[c]) / std[c]. A thread takes
// as many pixels as make a vector of 16 bytes of dst in each plane, or for NHWC as many bytes.
//
//   operands  src uint8 (N, H, W, C), dst float32, float16 or bfloat16, NCHW or NHWC, C = 1, 3, 4
//   alignment that of the element; 16 bytes and planes of whole vectors for the vectors, otherwise
//             pixel by pixel
//   rounding  every operation rounds to float32 on its own and is never contracted to a fused
//             multiply-add, so that the bits are those of any other backend
#include <algorithm>

#include "kernels/cuda/divider.cuh"
#include "kernels/cuda/elementwise/map.cuh"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/operands.h"
#include "kernels/cuda/support.h"
#include "kernels/problem/image.h"

namespace tessera::cuda {
namespace {

// The parameters of the formula, by channel.
struct Normalization {
  float scale;
  float mean[ImageProblem::kMaxChannels];
  float std[ImageProblem::kMaxChannels];

  template <typename T>
  __device__ __forceinline__ T apply(uint8_t x, int c) const {
    const float scaled = __fmul_rn(static_cast<float>(x), scale);
    return from_float<T>(__fdiv_rn(__fsub_rn(scaled, mean[c]), std[c]));
  }
};

Normalization normalization_of(const ImageProblem& problem) {
  Normalization normalization = {};
  normalization.scale = problem.scale;
  for (int c = 0; c < ImageProblem::kMaxChannels; ++c) {
    normalization.mean[c] = problem.mean[c];
    normalization.std[c] = problem.std[c];
  }
  return normalization;
}

// kPixels pixels of kC channels: read as bytes, written as one vector per plane (NCHW) or as the
// kC vectors of the interleaved pixels (NHWC).
template <typename T, int kC, int kPixels, bool kPlanes, typename Index>
struct ImageMap {
  static constexpr int kElements = kPixels;
  // The bytes of kPixels pixels, in accesses that their address allows.
  static constexpr int kBytes = kElements * kC;
  static constexpr int kWidest = std::min(kC % 4 == 0 ? kBytes : kPixels, kVectorBytes);
  static constexpr int kAccess = kPixels == 1 ? 1 : kWidest;
  static constexpr int kAccesses = kBytes / kAccess;
  struct Loaded {
    Vector<uint8_t, kAccess> access[kAccesses];
    __device__ uint8_t byte(int i) const { return access[i / kAccess].element[i % kAccess]; }
  };

  const uint8_t* src;
  T* dst;
  int64_t area;
  Divider<Index> area_divider;
  Normalization normalization;

  __device__ Loaded load(int64_t pixel) const {
    Loaded loaded;
#pragma unroll
    for (int i = 0; i < kAccesses; ++i) {
      loaded.access[i] = load_vector<kAccess>(src + pixel * kC + i * kAccess);
    }
    return loaded;
  }
  __device__ void store(int64_t pixel, const Loaded& loaded) const {
    int64_t first = pixel * kC;
    if constexpr (kPlanes) {
      const auto [n, place] = area_divider.divide(static_cast<Index>(pixel));
      first = n * area * kC + place;
    }
#pragma unroll
    for (int c = 0; c < kC; ++c) {
      Vector<T, kPixels> vector;
#pragma unroll
      for (int i = 0; i < kPixels; ++i) {
        // Plane c of the pixels, or vector c of their interleaved channels.
        const int byte = kPlanes ? i * kC + c : c * kPixels + i;
        vector.element[i] = normalization.template apply<T>(loaded.byte(byte), byte % kC);
      }
      store_vector<kPixels>(dst + first + (kPlanes ? c * area : c * kPixels), vector);
    }
  }
  __device__ void one(int64_t pixel) const {
    const ImageMap<T, kC, 1, kPlanes, Index> single = {src, dst, area, area_divider, normalization};
    single.store(pixel, single.load(pixel));
  }
};

template <typename T, int kC, bool kPlanes>
Status launch_with(const ImageProblem& problem, const Operands& operands, Stream& stream) {
  constexpr int kPixels = kVectorElements<T>;
  const int64_t area = problem.H * problem.W;
  const int64_t pixels = problem.N * area;
  return dispatch_index(pixels, [&]<typename Index>() {
    using Map = ImageMap<T, kC, kPixels, kPlanes, Index>;
    const Map map = {input<uint8_t>(operands, ImageProblem::kSrc), output<T>(operands), area,
                     Divider<Index>(area), normalization_of(problem)};
    const bool whole_planes = !kPlanes || area % kPixels == 0;
    const bool aligned = whole_planes && are_aligned(kVectorBytes, map.src, map.dst);
    return launch_map(map, aligned, pixels, stream);
  });
}

template <typename T, bool kPlanes>
Status launch_channels(const ImageProblem& problem, const Operands& operands, Stream& stream) {
  switch (problem.C) {
    case 1:
      return launch_with<T, 1, kPlanes>(problem, operands, stream);
    case 3:
      return launch_with<T, 3, kPlanes>(problem, operands, stream);
    case 4:
      return launch_with<T, 4, kPlanes>(problem, operands, stream);
    default:
      return internal_error("image_to_tensor was launched for channels that it refuses");
  }
}

Support supports(const ImageProblem& problem, const DeviceInfo&) {
  if (problem.C != 1 && problem.C != 3 && problem.C != 4) {
    return Support::no("C = " + std::to_string(problem.C) + " channels are not 1, 3 or 4");
  }
  if (!support_float(problem.dtype).ok()) return support_float(problem.dtype);
  return support_strided_layout(problem.dst_layout);
}

Status launch_image_to_tensor(const ImageProblem& problem, const Operands& operands,
                              Stream& stream) {
  if (problem.N * problem.H * problem.W == 0) return {};
  return dispatch_float(problem.dtype, [&]<typename T>() {
    // The two layouts of a single channel are the same bytes.
    return problem.dst_layout == Layout::kRowMajor && problem.C > 1
               ? launch_channels<T, true>(problem, operands, stream)
               : launch_channels<T, false>(problem, operands, stream);
  });
}

}  // namespace

const KernelEntry image_to_tensor_entry =
    stateless_kernel_entry<ImageProblem, supports, launch_image_to_tensor>(
        "image_to_tensor", "vectors of pixels, every operation rounded on its own");

}  // namespace tessera::cuda
