// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "core/tensor.h"
#include "engine/image/array_file.h"
#include "engine/onnx/load.h"

namespace tessera {

Result<ArrayFile> open_tensor_proto_file(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const Tensor tensor, load_tensor_proto(path));
  const auto* first = static_cast<const std::byte*>(tensor.data());
  return ArrayFile{tensor.dtype(), tensor.shape(), 0,
                   wrap_bytes(std::vector<std::byte>(first, first + tensor.size_bytes()))};
}

}  // namespace tessera
