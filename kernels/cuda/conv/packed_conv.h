// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "core/buffer.h"
#include "kernels/kernel.h"

namespace tessera::cuda {

// A convolution that reads its weights in a form of its own: packed once where they are constants
// of the model, otherwise at every launch into the workspace.
class PackedConv : public Kernel {
 public:
  // packed_bytes: the packed weights; scratch_bytes: what run needs beside them.
  PackedConv(Device& device, size_t packed_bytes, size_t scratch_bytes);

  [[nodiscard]] size_t workspace_bytes() const final;
  Result<std::vector<int>> pack_constants(std::span<const Tensor* const> constants) final;
  Status launch(const Operands& operands, Stream& stream) final;

 protected:
  // Enqueues: packed = f(weights), all in device memory.
  virtual Status pack(const void* weights, void* packed, Stream& stream) = 0;
  // Enqueues the convolution. Both pointers are aligned to 256 bytes.
  virtual Status run(const Operands& operands, const void* packed, void* scratch,
                     Stream& stream) = 0;

 private:
  Device& device_;
  size_t packed_bytes_;
  size_t scratch_bytes_;
  std::optional<Buffer> packed_;
};

}  // namespace tessera::cuda
