// SPDX-License-Identifier: Apache-2.0
#include "engine/image/preprocess_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "core/shape.h"
#include "engine/image/preprocess.h"

namespace tessera {
namespace {

using nlohmann::json;

bool is_channel_count(int64_t extent) { return extent == 1 || extent == 3; }

ColorMode color_of(int64_t channels) { return channels == 1 ? ColorMode::kGray : ColorMode::kRgb; }

// The side of a square of `area` cells, or nothing.
std::optional<int64_t> square_side(int64_t area) {
  const auto side = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(area))));
  if (area <= 0 || side * side != area) return std::nullopt;
  return side;
}

std::optional<Preprocess> from_rank4(const std::vector<int64_t>& extents) {
  Preprocess preprocess;
  preprocess.nhwc = !is_channel_count(extents[1]) && is_channel_count(extents[3]);
  if (!preprocess.nhwc && !is_channel_count(extents[1])) return std::nullopt;
  preprocess.color = color_of(extents[preprocess.nhwc ? 3 : 1]);
  const size_t height_axis = preprocess.nhwc ? 1 : 2;
  preprocess.height = std::max<int64_t>(extents[height_axis], 0);
  preprocess.width = std::max<int64_t>(extents[height_axis + 1], 0);
  return preprocess;
}

std::optional<Preprocess> from_row(int64_t length) {
  Preprocess preprocess;
  std::optional<int64_t> side = square_side(length);
  preprocess.color = side ? ColorMode::kGray : ColorMode::kRgb;
  if (!side && length % 3 == 0) side = square_side(length / 3);
  if (!side) return std::nullopt;
  preprocess.height = preprocess.width = *side;
  return preprocess;
}

// Reads the keys of one JSON object and remembers the first thing that is wrong.
class KeyReader {
 public:
  KeyReader(const json& object, std::string where) : object_(object), where_(std::move(where)) {}

  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }

  void fail(const std::string& key, const std::string& problem) {
    if (status_.ok()) status_ = invalid_model(where_ + "." + key + " " + problem);
  }

  std::string text(const char* key) {
    if (!has(key)) return {};
    if (object_[key].is_string()) return object_[key].get<std::string>();
    fail(key, "must be a string");
    return {};
  }

  void extent(const char* key, int64_t& value) {
    if (!has(key)) return;
    constexpr int64_t kMax = 1 << 20;
    const json& entry = object_[key];
    if (!entry.is_number_integer() || entry.get<int64_t>() < 1 || entry.get<int64_t>() > kMax) {
      return fail(key, "must be a whole number of pixels, 1 to " + std::to_string(kMax));
    }
    value = entry.get<int64_t>();
  }

  void number(const char* key, float& value) {
    if (!has(key)) return;
    if (!object_[key].is_number()) return fail(key, "must be a number");
    value = object_[key].get<float>();
    if (!std::isfinite(value)) fail(key, "must be a finite number");
  }

  // One number for each channel, or one for all of them.
  void channels(const char* key, int64_t count, std::array<float, 4>& values) {
    if (!has(key)) return;
    const json list = object_[key].is_number() ? json::array({object_[key]}) : object_[key];
    const bool numbers =
        list.is_array() && std::all_of(list.begin(), list.end(), [](const json& v) {
          return v.is_number() && std::isfinite(v.get<float>());
        });
    if (!numbers || (list.size() != 1 && static_cast<int64_t>(list.size()) != count)) {
      return fail(key, "must be a list of " + std::to_string(count) + " numbers, or of one");
    }
    for (size_t c = 0; c < values.size(); ++c) {
      values[c] = list[std::min(c, list.size() - 1)].get<float>();
    }
  }

  // The value that goes with the word under `key`.
  template <typename T>
  void choice(const char* key, std::initializer_list<std::pair<const char*, T>> words, T& value) {
    const std::string word = text(key);
    if (!has(key) || !status_.ok()) return;
    std::string known;
    for (const auto& [name, meaning] : words) {
      if (word == name) {
        value = meaning;
        return;
      }
      known += std::string(known.empty() ? "" : ", ") + name;
    }
    fail(key, "is '" + word + "', not one of " + known);
  }

 private:
  const json& object_;
  std::string where_;
  Status status_;
};

// A preset has a size and colours of its own, but those that the model declares hold: an ImageNet
// network for 32x32 pictures is normalised as any other.
void apply_preset(const std::string& name, KeyReader& reader, Preprocess& preprocess) {
  const std::optional<Preprocess> preset = find_preset(name);
  if (preset) {
    const Preprocess declared = preprocess;
    preprocess = *preset;
    preprocess.nhwc = declared.nhwc;
    if (declared.height > 0) preprocess.height = declared.height;
    if (declared.width > 0) preprocess.width = declared.width;
    if (declared.channels() != preprocess.channels() || name == "raw") {
      preprocess.color = declared.color;
    }
  } else if (!reader.has("scale") || !reader.has("mean") || !reader.has("std")) {
    reader.fail("preset", "is '" + name + "', not one of " + preset_names() +
                              ", and scale, mean and std are not all given");
  }
  preprocess.preset = name;
}

}  // namespace

Result<Preprocess> preprocess_from_shape(const ValueInfo& input) {
  std::optional<Preprocess> preprocess;
  if (input.extents.size() == 4) preprocess = from_rank4(input.extents);
  if (input.extents.size() == 2) preprocess = from_row(input.extents[1]);
  if (preprocess) return *preprocess;
  std::string shape;
  for (const int64_t extent : input.extents) {
    shape += (shape.empty() ? "" : ", ") + (extent < 0 ? "?" : std::to_string(extent));
  }
  return unsupported("input '" + input.name + "' (" + shape +
                     ") does not say how pictures become its numbers: (N, C, H, W) or (N, H, W, C) "
                     "with 1 or 3 channels, or a square picture as (N, K), is understood; describe "
                     "it in a sidecar (.infer.json) or feed .npy or .pb tensors");
}

Status apply_preprocess_json(const json& object, const std::string& where, Preprocess& preprocess) {
  if (!object.is_object()) return invalid_model(where + " must be an object");
  KeyReader reader(object, where);
  const std::string preset = reader.text("preset");
  if (!preset.empty()) apply_preset(preset, reader, preprocess);
  reader.choice<ColorMode>(
      "channels", {{"gray", ColorMode::kGray}, {"rgb", ColorMode::kRgb}, {"bgr", ColorMode::kBgr}},
      preprocess.color);
  reader.extent("width", preprocess.width);
  reader.extent("height", preprocess.height);
  reader.choice<ResizeMode>("resize",
                            {{"none", ResizeMode::kNone},
                             {"bilinear", ResizeMode::kBilinear},
                             {"bicubic", ResizeMode::kBicubic},
                             {"shortest", ResizeMode::kShortest}},
                            preprocess.resize);
  reader.extent("resize_size", preprocess.resize_size);
  reader.number("scale", preprocess.scale);
  reader.channels("mean", preprocess.channels(), preprocess.mean);
  reader.channels("std", preprocess.channels(), preprocess.std);
  reader.choice<bool>("layout", {{"NCHW", false}, {"NHWC", true}}, preprocess.nhwc);
  for (const float deviation : preprocess.std) {
    if (deviation == 0.0f) reader.fail("std", "must not be 0");
  }
  const int64_t larger = std::max(preprocess.width, preprocess.height);
  if (preprocess.resize == ResizeMode::kShortest && preprocess.resize_size < larger) {
    reader.fail("resize_size", "must be given for resize 'shortest', and be at least " +
                                   std::to_string(std::max<int64_t>(larger, 1)));
  }
  return reader.status();
}

}  // namespace tessera
