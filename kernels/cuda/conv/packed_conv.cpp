// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/conv/packed_conv.h"

#include "core/math.h"
#include "kernels/problem/conv.h"

namespace tessera::cuda {
namespace {

constexpr size_t kAlignment = 256;

}  // namespace

PackedConv::PackedConv(Device& device, size_t packed_bytes, size_t scratch_bytes)
    : device_(device),
      packed_bytes_(round_up(packed_bytes, kAlignment)),
      scratch_bytes_(scratch_bytes) {}

size_t PackedConv::workspace_bytes() const {
  return scratch_bytes_ + (packed_ ? 0 : packed_bytes_);
}

Result<std::vector<int>> PackedConv::pack_constants(std::span<const Tensor* const> constants) {
  const Tensor* weights = constants[ConvProblem::kWeights];
  if (weights == nullptr) return std::vector<int>();
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, device_.create_stream());
  TESSERA_ASSIGN_OR_RETURN(const Buffer plain, device_.allocate(weights->size_bytes()));
  TESSERA_ASSIGN_OR_RETURN(Buffer packed, device_.allocate(packed_bytes_));
  TESSERA_RETURN_IF_ERROR(
      stream->copy_to_device(plain.data(), weights->data(), weights->size_bytes()));
  TESSERA_RETURN_IF_ERROR(pack(plain.data(), packed.data(), *stream));
  TESSERA_RETURN_IF_ERROR(stream->synchronize());
  packed_ = std::move(packed);
  return std::vector<int>{ConvProblem::kWeights};
}

Status PackedConv::launch(const Operands& operands, Stream& stream) {
  auto* scratch = static_cast<std::byte*>(operands.workspace);
  if (packed_) return run(operands, packed_->data(), scratch, stream);
  void* packed = scratch;
  TESSERA_RETURN_IF_ERROR(pack(operands.inputs[ConvProblem::kWeights], packed, stream));
  return run(operands, packed, scratch + packed_bytes_, stream);
}

}  // namespace tessera::cuda
