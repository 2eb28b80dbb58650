// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/status.h"
#include "core/tensor.h"
#include "engine/graph/graph.h"
#include "layers/attributes.h"

namespace tessera::onnx {
class ModelProto;
}

namespace tessera {

// Makes ONNX models in tests:
//
//   OnnxBuilder builder;
//   builder.input("x", DType::kF32, {"batch", 4})
//       .initializer("w", Tensor::from_values<float>({4, 2}, {...}))
//       .node("MatMul", {"x", "w"}, {"y"})
//       .node("Softmax", {"y"}, {"p"}, {{"axis", 1}})
//       .output("p");
//   Result<Graph> graph = builder.load();
class OnnxBuilder {
 public:
  // An extent of a declared shape: a number, or the symbol of an open one ("" has no name).
  struct Dim {
    Dim(int64_t fixed) : extent(fixed) {}    // NOLINT(*-explicit-*)
    Dim(const char* open) : symbol(open) {}  // NOLINT(*-explicit-*)
    int64_t extent = -1;
    std::string symbol;
  };

  explicit OnnxBuilder(int opset = 13, int ir_version = 8);
  ~OnnxBuilder();
  OnnxBuilder(const OnnxBuilder&) = delete;
  OnnxBuilder& operator=(const OnnxBuilder&) = delete;

  OnnxBuilder& input(const std::string& name, DType dtype, const std::vector<Dim>& dims);
  // An output whose type the file leaves to shape inference.
  OnnxBuilder& output(const std::string& name);
  OnnxBuilder& output(const std::string& name, DType dtype, const std::vector<Dim>& dims);
  // Stored as raw_data.
  OnnxBuilder& initializer(const std::string& name, const Tensor& value);
  // Stored in the field that ONNX has for the dtype: float_data, int32_data, ...
  OnnxBuilder& typed_initializer(const std::string& name, const Tensor& value);
  // Stored in the file `location` at byte `offset`; a length of -1 is left out.
  OnnxBuilder& external_initializer(const std::string& name, const TensorDesc& desc,
                                    const std::string& location, int64_t offset = 0,
                                    int64_t length = -1);
  // An empty name among inputs and outputs is an optional one left out.
  OnnxBuilder& node(const std::string& op_type, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, const Attributes& attributes = {},
                    const std::string& name = "", const std::string& domain = "");
  OnnxBuilder& import_opset(const std::string& domain, int version);
  OnnxBuilder& metadata(const std::string& key, const std::string& value);

  // The message itself, for what the functions above do not offer.
  onnx::ModelProto& proto() { return *proto_; }

  [[nodiscard]] std::string bytes() const;
  // load_onnx_from_memory with the name "test.onnx" and no folder for external data.
  [[nodiscard]] Result<Graph> load() const;
  // Aborts when the file cannot be written.
  void write(const std::string& path) const;

 private:
  std::unique_ptr<onnx::ModelProto> proto_;
};

// A serialized TensorProto of `value`, as the .pb files of ONNX test data sets hold.
std::string tensor_proto_bytes(const Tensor& value, const std::string& name = "");

// Aborts when the file cannot be written.
void write_file(const std::string& path, std::string_view bytes);

// A fresh folder under the system's folder for temporary files, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // The folder itself, or a path in it.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tessera
