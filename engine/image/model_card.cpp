// SPDX-License-Identifier: Apache-2.0
#include "engine/image/model_card.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/shape.h"
#include "engine/image/file_bytes.h"
#include "engine/image/preprocess_json.h"

namespace tessera {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int kFormat = 1;

Result<json> parse_json(const std::string& text, const std::string& where) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    return invalid_model(where + ": not valid JSON: " + error.what());
  }
}

Result<std::vector<std::string>> parse_labels(const json& list, const std::string& where) {
  const bool strings = list.is_array() && std::all_of(list.begin(), list.end(),
                                                      [](const json& v) { return v.is_string(); });
  if (!strings || list.empty()) return invalid_model(where + " must be a list of strings");
  return list.get<std::vector<std::string>>();
}

// {"label": "...", "index": 3, "score": 0.97}
Result<GoldenScore> parse_golden_score(const json& entry, const std::string& where) {
  if (!entry.is_object() || !entry.contains("index") || !entry["index"].is_number_integer() ||
      !entry.contains("score") || !entry["score"].is_number() ||
      (entry.contains("label") && !entry["label"].is_string())) {
    return invalid_model(where +
                         R"( must be {"label": text, "index": whole number, "score": number})");
  }
  return GoldenScore{entry.value("label", std::string()), entry["index"].get<int64_t>(),
                     entry["score"].get<double>()};
}

Result<Golden> parse_golden(const json& entry, const fs::path& folder, const std::string& where) {
  if (!entry.is_object() || !entry.contains("image") || !entry["image"].is_string() ||
      !entry.contains("top5") || !entry["top5"].is_array() || entry["top5"].empty()) {
    return invalid_model(where + R"( must be {"image": path, "top5": [...]})");
  }
  Golden golden;
  golden.image_path = (folder / entry["image"].get<std::string>()).string();
  for (size_t i = 0; i < entry["top5"].size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(
        GoldenScore score,
        parse_golden_score(entry["top5"][i], where + ".top5[" + std::to_string(i) + "]"));
    golden.top5.push_back(std::move(score));
  }
  return golden;
}

Result<std::vector<Golden>> parse_goldens(const json& list, const fs::path& folder,
                                          const std::string& where) {
  if (!list.is_array()) return invalid_model(where + " must be a list");
  std::vector<Golden> goldens;
  for (size_t i = 0; i < list.size(); ++i) {
    TESSERA_ASSIGN_OR_RETURN(Golden golden,
                             parse_golden(list[i], folder, where + "[" + std::to_string(i) + "]"));
    goldens.push_back(std::move(golden));
  }
  return goldens;
}

// What a sidecar or the metadata say, before it meets the model's declared shapes.
struct CardText {
  std::string source;
  std::optional<json> preprocess;
  std::string preprocess_where;
  std::vector<std::string> labels;
  std::string labels_where;
  std::vector<Golden> goldens;
};

Result<CardText> parse_sidecar(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, read_file_bytes(path));
  TESSERA_ASSIGN_OR_RETURN(
      const json root,
      parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path));
  if (!root.is_object() || !root.contains("format") || root["format"] != kFormat) {
    return invalid_model(R"("format" must be 1; this is no sidecar that can be read)")
        .with_context(path);
  }
  CardText card;
  card.source = path;
  card.preprocess_where = path + ": preprocess";
  card.labels_where = path + ": labels";
  if (root.contains("preprocess")) card.preprocess = root["preprocess"];
  if (root.contains("labels")) {
    TESSERA_ASSIGN_OR_RETURN(card.labels, parse_labels(root["labels"], card.labels_where));
  }
  if (root.contains("golden")) {
    TESSERA_ASSIGN_OR_RETURN(
        card.goldens,
        parse_goldens(root["golden"], fs::path(path).parent_path(), path + ": golden"));
  }
  return card;
}

// Fills what the sidecar left open from metadata_props.
Status add_metadata(const Model& model, CardText& card) {
  const auto& metadata = model.metadata();
  if (const auto entry = metadata.find("tessera.labels");
      card.labels.empty() && entry != metadata.end()) {
    card.labels_where = model.path() + ": metadata tessera.labels";
    TESSERA_ASSIGN_OR_RETURN(const json list, parse_json(entry->second, card.labels_where));
    TESSERA_ASSIGN_OR_RETURN(card.labels, parse_labels(list, card.labels_where));
  }
  if (const auto entry = metadata.find("tessera.preprocess");
      !card.preprocess && entry != metadata.end()) {
    card.preprocess_where = model.path() + ": metadata tessera.preprocess";
    TESSERA_ASSIGN_OR_RETURN(card.preprocess, parse_json(entry->second, card.preprocess_where));
    card.source = "model metadata";
  }
  return {};
}

// The channels and size that the card gives must be those that the model declares.
Status check_against_declared(const Preprocess& given, const Preprocess& declared,
                              const std::string& where) {
  const auto differs = [&](const char* key, int64_t card, int64_t model) -> Status {
    if (model <= 0 || card == model) return {};
    return invalid_model(where + "." + key + " means " + std::to_string(card) +
                         ", but the model's input declares " + std::to_string(model));
  };
  TESSERA_RETURN_IF_ERROR(differs("height", given.height, declared.height));
  TESSERA_RETURN_IF_ERROR(differs("width", given.width, declared.width));
  return differs("channels", given.channels(), declared.channels());
}

Result<Preprocess> resolve_preprocess(const Model& model, const CardText& card) {
  if (model.inputs().empty()) return unsupported(model.path() + ": the model has no input");
  const ValueInfo& input = model.inputs().front();
  const Result<Preprocess> declared = preprocess_from_shape(input);
  if (!card.preprocess) {
    if (!declared.ok()) return declared.status().with_context(model.path());
    return declared;
  }
  Preprocess preprocess = declared.ok() ? *declared : Preprocess{};
  TESSERA_RETURN_IF_ERROR(
      apply_preprocess_json(*card.preprocess, card.preprocess_where, preprocess));
  if (!declared.ok()) {
    if (preprocess.height > 0 && preprocess.width > 0) return preprocess;
    return invalid_model(card.preprocess_where +
                         " needs width and height: " + declared.status().message());
  }
  // A rank-2 input declares a length only; that a square was meant is a guess, so any shape of that
  // many elements will do.
  if (input.extents.size() == 2) {
    const int64_t length = preprocess.height * preprocess.width * preprocess.channels();
    if (length == input.extents[1]) return preprocess;
  }
  TESSERA_RETURN_IF_ERROR(check_against_declared(preprocess, *declared, card.preprocess_where));
  return preprocess;
}

// The number of classes that the first output declares, or nothing when it leaves it open.
std::optional<int64_t> declared_classes(const Model& model) {
  if (model.outputs().empty() || model.outputs().front().extents.size() < 2) return std::nullopt;
  std::vector<int64_t> extents = model.outputs().front().extents;
  extents.erase(extents.begin());
  return Shape(std::move(extents)).checked_num_elements();
}

Status check_label_count(const Model& model, const CardText& card) {
  const std::optional<int64_t> classes = declared_classes(model);
  const auto labels = static_cast<int64_t>(card.labels.size());
  if (labels == 0 || !classes || *classes == labels) return {};
  return invalid_model(card.labels_where + " has " + std::to_string(labels) +
                       " entries, but the model's output has " + std::to_string(*classes) +
                       " classes");
}

}  // namespace

Result<ModelCard> load_model_card(const Model& model) {
  const std::string sidecar = fs::path(model.path()).replace_extension(".infer.json").string();
  std::error_code error;
  CardText card;
  if (!model.path().empty() && fs::exists(sidecar, error)) {
    TESSERA_ASSIGN_OR_RETURN(card, parse_sidecar(sidecar));
  }
  TESSERA_RETURN_IF_ERROR(add_metadata(model, card));
  TESSERA_RETURN_IF_ERROR(check_label_count(model, card));
  TESSERA_ASSIGN_OR_RETURN(Preprocess preprocess, resolve_preprocess(model, card));
  if (!card.preprocess) {
    card.source = "input shape (" +
                  (card.source.empty() ? "no sidecar" : sidecar + " has no preprocess") +
                  "; pixels / 255)";
  }
  if (preprocess.preset.empty()) preprocess.preset = card.source;
  return ModelCard{card.source, std::move(card.labels), preprocess, std::move(card.goldens)};
}

}  // namespace tessera
