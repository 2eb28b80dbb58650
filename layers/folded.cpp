// SPDX-License-Identifier: Apache-2.0
#include "layers/folded.h"

#include <cstring>

namespace tessera {

Status check_folded_size(const TensorDesc& desc) {
  TESSERA_RETURN_IF_ERROR(desc.validate());
  if (desc.size_bytes() <= static_cast<size_t>(kLargestFoldedBytes)) return {};
  return out_of_memory("the constant " + desc.to_string() + " takes " +
                       std::to_string(desc.size_bytes()) + " bytes; at most " +
                       std::to_string(kLargestFoldedBytes) + " are allowed");
}

Result<Tensor> filled_tensor(const Shape& shape, const Tensor& value) {
  const TensorDesc desc = {value.dtype(), shape};
  TESSERA_RETURN_IF_ERROR(check_folded_size(desc));
  TESSERA_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(desc));
  const size_t element_bytes = dtype_size_bytes(value.dtype());
  auto* dst = static_cast<std::byte*>(tensor.mutable_data());
  for (size_t at = 0; at < tensor.size_bytes(); at += element_bytes) {
    std::memcpy(dst + at, value.data(), element_bytes);
  }
  return tensor;
}

}  // namespace tessera
