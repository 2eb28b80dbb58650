// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

// The loop over K of a kernel that copies k-tiles ahead into a ring of stages in shared memory.

namespace tessera::cuda {

// The k-tiles of a sum over K: whole ones, which the loop runs over, and what is left over, a last
// tile that is copied and multiplied after the loop, so that the loop need not look for the end.
template <int kBlockK>
struct KTiles {
  int whole;
  int rest;  // elements

  __device__ __forceinline__ explicit KTiles(int64_t k)
      : whole(static_cast<int>(k / kBlockK)), rest(static_cast<int>(k % kBlockK)) {}
};

// Calls function.operator()<whole>(), for a condition that holds for a whole block of threads: the
// loop without tests at the edge of a matrix is compiled apart from the one with them, since its
// instructions can only be interleaved where no branch parts them.
template <typename Function>
__device__ __forceinline__ void dispatch_whole(bool whole, Function&& function) {
  if (whole) {
    function.template operator()<true>();
  } else {
    function.template operator()<false>();
  }
}

// A place in the ring. Whoever reads or writes the stages keeps a pointer into this one and moves
// it on by step() before the place moves on itself: an address that is carried along costs one
// addition a k-tile, one that is put together from the stage's number several times that.
template <int kStages>
class RingPlace {
 public:
  // From this stage to the next, in units of the distance between stages.
  [[nodiscard]] __device__ __forceinline__ int step() const {
    return stage_ == kStages - 1 ? 1 - kStages : 1;
  }
  __device__ __forceinline__ void advance() { stage_ += step(); }
  [[nodiscard]] __device__ __forceinline__ int stage() const { return stage_; }

 private:
  int stage_ = 0;
};

}  // namespace tessera::cuda
