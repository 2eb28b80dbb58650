// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/device.h"
#include "kernels/accuracy/encoding.h"
#include "kernels/accuracy/problem_operands.h"
#include "kernels/problem/problem.h"

namespace tessera {

// Copies of a problem's operands in device memory: equal inputs at different addresses and an
// output each, so many that a timing which goes round them always finds cold caches. Several
// kernels that are timed in turns share them. Requires: outlives no device.
class OperandCopies {
 public:
  // Random operands (kernels/timing/random_operands.h) and as many copies as make twice the last
  // level cache, at least 2 and at most 4096 or `most`. kOutOfMemory when they do not fit.
  static Result<std::shared_ptr<OperandCopies>> create(const Problem& problem, Device& device,
                                                       size_t most = kMostCopies);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] size_t count() const { return count_; }
  // Bytes of one copy; all of them together when multiplied with count().
  [[nodiscard]] size_t copy_bytes() const { return copy_bytes_; }
  // Input `operand` of copy `index`, null when it is not present.
  [[nodiscard]] const void* input(size_t index, size_t operand) const;
  [[nodiscard]] void* output(size_t index) const;
  [[nodiscard]] const ProblemOperands& specs() const { return specs_; }
  [[nodiscard]] const std::vector<Bytes>& host_inputs() const { return host_inputs_; }

 private:
  static constexpr size_t kMostCopies = 4096;

  OperandCopies(const Problem& problem, Device& device);
  void lay_out();
  Status fill();
  [[nodiscard]] std::byte* at(size_t index, size_t offset) const {
    return static_cast<std::byte*>(memory_.data()) + index * copy_bytes_ + offset;
  }

  Problem problem_;
  Device& device_;
  ProblemOperands specs_;
  std::vector<Bytes> host_inputs_;
  std::vector<size_t> offsets_;  // of each input in a copy, then of the output
  size_t copy_bytes_ = 0;
  size_t count_ = 0;
  Buffer memory_;
};

// The cache that a timing has to get past, in bytes; where the device does not tell it, a size that
// few processors exceed.
size_t cache_bytes_to_pass(const DeviceInfo& info);

}  // namespace tessera
