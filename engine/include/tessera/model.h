// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/status.h"

namespace tessera {

struct Graph;

// An input or output of a model as its file declares it.
struct ValueInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> extents;      // -1 where the model leaves it open
  std::vector<std::string> symbols;  // the name of an open extent ("batch"), empty elsewhere
};

// A network as loaded from an ONNX file: immutable, independent of device, batch and precision.
// Thread-safe; share one between sessions.
//
//   auto model = tessera::Model::load("model.onnx");
//   if (!model.ok()) { std::cerr << model.status().message(); return 3; }
//   auto session = tessera::Session::create(*model, {.device = "auto"});
class Model {
 public:
  // Reads and checks the file. kNotFound, kInvalidModel, kUnsupported, kOutOfMemory; the message
  // lists all problems, one a line.
  static Result<std::shared_ptr<const Model>> load(const std::string& path);

  explicit Model(Graph graph, std::string path);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<ValueInfo>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<ValueInfo>& outputs() const { return outputs_; }
  // ONNX metadata_props.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const;
  // The loaded graph; its type is internal to the engine.
  [[nodiscard]] const Graph& graph() const { return *graph_; }

 private:
  std::string path_;
  std::unique_ptr<Graph> graph_;
  std::vector<ValueInfo> inputs_;
  std::vector<ValueInfo> outputs_;
};

}  // namespace tessera
