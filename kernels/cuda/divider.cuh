// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <limits>
#include <type_traits>

#include "core/status.h"

namespace tessera::cuda {

template <typename Index>
struct QuotientRemainder {
  Index quotient;
  Index remainder;
};

// Division by a number that the host knows: for 32 bits a multiplication and a shift (Granlund and
// Montgomery, Division by Invariant Integers using Multiplication, 1994), for 64 bits a division.
// Requires: dividend < 2^31 for 32 bits, divisor > 0.
template <typename Index>
class Divider;

template <>
class Divider<uint32_t> {
 public:
  Divider() = default;
  explicit Divider(int64_t divisor) : divisor_(static_cast<uint32_t>(divisor)) {
    while (shift_ < 32 && (uint64_t{1} << shift_) < divisor_) ++shift_;
    const uint64_t power = uint64_t{1} << shift_;
    multiplier_ = static_cast<uint32_t>((power - divisor_) * (uint64_t{1} << 32) / divisor_ + 1);
  }
  __device__ __forceinline__ QuotientRemainder<uint32_t> divide(uint32_t dividend) const {
    const uint32_t quotient = (__umulhi(dividend, multiplier_) + dividend) >> shift_;
    return {quotient, dividend - quotient * divisor_};
  }

 private:
  uint32_t divisor_ = 1;
  uint32_t multiplier_ = 1;  // 2^32 * (2^shift - divisor) / divisor + 1
  uint32_t shift_ = 0;       // ceil(log2(divisor))
};

template <>
class Divider<uint64_t> {
 public:
  Divider() = default;
  explicit Divider(int64_t divisor) : divisor_(static_cast<uint64_t>(divisor)) {}
  __device__ __forceinline__ QuotientRemainder<uint64_t> divide(uint64_t dividend) const {
    const uint64_t quotient = dividend / divisor_;
    return {quotient, dividend - quotient * divisor_};
  }

 private:
  uint64_t divisor_ = 1;
};

// Calls function.operator()<Index>() with the type for indices below `count`: 32 bits where they
// suffice.
template <typename Function>
Status dispatch_index(int64_t count, Function&& function) {
  if (count <= std::numeric_limits<int32_t>::max()) {
    return function.template operator()<uint32_t>();
  }
  return function.template operator()<uint64_t>();
}

}  // namespace tessera::cuda
