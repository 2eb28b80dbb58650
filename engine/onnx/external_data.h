// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/status.h"
#include "engine/onnx/mapped_file.h"

namespace tessera {

namespace onnx {
class TensorProto;
}

// The files beside a model that hold the data of large tensors. Each is mapped once and shared by
// its tensors. A model may come from anywhere, so it can only name files in its own folder or
// below.
class ExternalFiles {
 public:
  // `folder` is the model's; empty when there is none, and then every external tensor is an error.
  explicit ExternalFiles(std::string folder) : folder_(std::move(folder)) {}

  struct Range {
    std::span<const std::byte> bytes;
    std::shared_ptr<const MappedFile> file;  // keeps the bytes alive
  };
  // The `size_bytes` bytes that the external_data entries of `tensor` point at (ONNX,
  // docs/ExternalData.md). kInvalidModel, kNotFound, kIo; the message names the location.
  Result<Range> find(const onnx::TensorProto& tensor, size_t size_bytes);

 private:
  Result<std::shared_ptr<const MappedFile>> open(const std::string& location);

  std::string folder_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace tessera
