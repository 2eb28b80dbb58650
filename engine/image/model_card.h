// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/status.h"
#include "engine/image/image.h"
#include "tessera/model.h"

namespace tessera {

struct GoldenScore {
  std::string label;
  int64_t index = 0;
  double score = 0.0;
};

// A picture with the answer that the model must give.
struct Golden {
  std::string image_path;  // resolved against the sidecar's folder
  std::vector<GoldenScore> top5;
};

// What belongs to a model beyond its graph: labels, preprocessing, golden images. From the sidecar
// `<model without .onnx>.infer.json`, else from the model's metadata_props (tessera.labels,
// tessera.preprocess), else from the declared input shape with no normalisation beyond 1/255.
struct ModelCard {
  std::string source;  // where it came from: the sidecar's path, "model metadata", "input shape"
  std::vector<std::string> labels;  // empty: none known
  Preprocess preprocess;
  std::vector<Golden> goldens;
};

// kInvalidModel names the sidecar and the key that is wrong.
Result<ModelCard> load_model_card(const Model& model);

// One label a line; kNotFound, kInvalidArgument.
Result<std::vector<std::string>> load_labels(const std::string& path);

}  // namespace tessera
