// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/load.h"

#include <exception>
#include <filesystem>
#include <google/protobuf/stubs/logging.h>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "engine/onnx/diagnostics.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/graph_reader.h"
#include "engine/onnx/mapped_file.h"
#include "engine/onnx/recognize_file.h"
#include "engine/onnx/tensor_reader.h"
#include "onnx_schema.pb.h"

namespace tessera {
namespace {

constexpr size_t kMaxMessageBytes = std::numeric_limits<int>::max();  // protobuf counts in int

Status foreign_or_broken(std::span<const std::byte> bytes, const std::string& otherwise) {
  const std::optional<std::string> foreign = recognize_foreign_file(bytes);
  return invalid_model(foreign ? "not an ONNX file but " + *foreign : otherwise);
}

// Fills `message` from its serialized form.
template <typename Message>
Status parse(std::span<const std::byte> bytes, Message& message) {
  if (bytes.empty()) return invalid_model("an empty file");
  if (bytes.size() > kMaxMessageBytes) {
    return foreign_or_broken(
        bytes, std::to_string(bytes.size()) +
                   " bytes, but protobuf can read at most 2 GiB; store the weights as "
                   "external data (onnx.save_model, save_as_external_data=True)");
  }
  const google::protobuf::LogSilencer no_output_on_stderr;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return foreign_or_broken(bytes,
                             "truncated or not an ONNX file; was it copied or downloaded whole?");
  }
  return {};
}

Result<Graph> load_bytes(std::span<const std::byte> bytes, const std::string& name,
                         const std::string& folder) {
  onnx::ModelProto model;
  Status parsed = parse(bytes, model);
  if (parsed.ok() && !model.has_graph()) {
    parsed = foreign_or_broken(bytes, "truncated or not an ONNX file: it holds no graph");
  }
  if (!parsed.ok()) return parsed.with_context(name);
  Diagnostics diagnostics(name);
  Graph graph = read_graph(model, folder, diagnostics);
  TESSERA_RETURN_IF_ERROR(diagnostics.status());
  return graph;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// protobuf and the standard library throw; nothing leaves this file as an exception.
template <typename T, typename Function>
Result<T> without_exceptions(const std::string& name, const Function& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return out_of_memory(name + ": not enough memory to read the file");
  } catch (const std::exception& error) {
    return internal_error(name + ": " + error.what());
  }
}

Result<std::shared_ptr<const MappedFile>> open_file(const std::string& path) {
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file.ok()) return file.status().with_context(path);
  return file;
}

}  // namespace

Result<Graph> load_onnx(const std::string& path) {
  return without_exceptions<Graph>(path, [&path]() -> Result<Graph> {
    TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, open_file(path));
    return load_bytes(file->bytes(), path, folder_of(path));
  });
}

Result<Graph> load_onnx_from_memory(std::span<const std::byte> bytes, const std::string& name,
                                    const std::string& folder) {
  return without_exceptions<Graph>(name, [&] { return load_bytes(bytes, name, folder); });
}

Result<Tensor> load_tensor_proto(const std::string& path) {
  return without_exceptions<Tensor>(path, [&path]() -> Result<Tensor> {
    TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, open_file(path));
    onnx::TensorProto proto;
    if (const Status parsed = parse(file->bytes(), proto); !parsed.ok()) {
      return parsed.with_context(path);
    }
    ExternalFiles files(folder_of(path));
    Result<Tensor> tensor = read_tensor(proto, files);
    if (!tensor.ok()) return tensor.status().with_context(path + ": tensor");
    return tensor;
  });
}

}  // namespace tessera
