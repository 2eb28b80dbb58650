// SPDX-License-Identifier: Apache-2.0
#include "kernels/timing/operand_copies.h"

#include <algorithm>

#include "core/math.h"
#include "kernels/timing/random_operands.h"

namespace tessera {
namespace {

constexpr uint64_t kSeed = 20260;
constexpr size_t kAlignment = 256;  // what Device::allocate gives, for every operand

}  // namespace

size_t cache_bytes_to_pass(const DeviceInfo& info) {
  constexpr size_t kUnknown = size_t{64} << 20;
  return info.last_level_cache_bytes > 0 ? info.last_level_cache_bytes : kUnknown;
}

OperandCopies::OperandCopies(const Problem& problem, Device& device)
    : problem_(problem),
      device_(device),
      specs_(describe_operands(problem)),
      host_inputs_(random_operands(problem, kSeed)) {}

void OperandCopies::lay_out() {
  const auto place = [this](size_t size_bytes) {
    offsets_.push_back(copy_bytes_);
    copy_bytes_ += round_up(size_bytes, kAlignment);
  };
  for (const Bytes& input : host_inputs_) place(input.size());
  place(specs_.output.size_bytes());
  copy_bytes_ = std::max(copy_bytes_, kAlignment);
}

Status OperandCopies::fill() {
  TESSERA_ASSIGN_OR_RETURN(memory_, device_.allocate(count_ * copy_bytes_));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, device_.create_stream());
  for (size_t i = 0; i < host_inputs_.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(
        stream->copy_to_device(at(0, offsets_[i]), host_inputs_[i].data(), host_inputs_[i].size()));
  }
  for (size_t index = 1; index < count_; ++index) {
    // The output, which comes last, holds nothing yet.
    TESSERA_RETURN_IF_ERROR(stream->copy_on_device(at(index, 0), at(0, 0), offsets_.back()));
  }
  return stream->synchronize();
}

Result<std::shared_ptr<OperandCopies>> OperandCopies::create(const Problem& problem, Device& device,
                                                             size_t most) {
  std::shared_ptr<OperandCopies> copies(new OperandCopies(problem, device));
  copies->lay_out();
  const size_t wanted = ceil_div(2 * cache_bytes_to_pass(device.info()), copies->copy_bytes_);
  copies->count_ = std::max<size_t>(1, std::min({std::max<size_t>(wanted, 2), most, kMostCopies}));
  TESSERA_RETURN_IF_ERROR(copies->fill().with_context("operands of " + to_string(problem)));
  return copies;
}

const void* OperandCopies::input(size_t index, size_t operand) const {
  return specs_.inputs[operand].present ? at(index, offsets_[operand]) : nullptr;
}

void* OperandCopies::output(size_t index) const { return at(index, offsets_.back()); }

}  // namespace tessera
