// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/preprocess_options.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "engine/image/preprocess.h"
#include "engine/image/preprocess_json.h"
#include "tools/infer/json.h"
#include "tools/infer/options.h"

namespace tessera::cli {
namespace {

// The flags as the object that a sidecar would hold, so that both are understood alike.
Result<nlohmann::json> to_sidecar_json(const PreprocessOptions& options) {
  nlohmann::json json = nlohmann::json::object();
  if (!options.preset.empty()) json["preset"] = options.preset;
  if (!options.channels.empty()) json["channels"] = options.channels;
  if (!options.resize.empty()) json["resize"] = options.resize;
  if (!options.layout.empty()) {
    std::string layout = options.layout;
    std::transform(layout.begin(), layout.end(), layout.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    json["layout"] = layout;
  }
  if (!options.resize_size.empty()) {
    TESSERA_ASSIGN_OR_RETURN(json["resize_size"],
                             parse_positive("--resize-size", options.resize_size));
  }
  const std::pair<const char*, const std::string*> numbers[] = {
      {"scale", &options.scale}, {"mean", &options.mean}, {"std", &options.std}};
  for (const auto& [key, text] : numbers) {
    if (text->empty()) continue;
    TESSERA_ASSIGN_OR_RETURN(const std::vector<float> values,
                             parse_numbers(fmt::format("--{}", key), *text));
    json[key] = values;
    if (values.size() == 1) json[key] = values[0];
  }
  return json;
}

// "command line.resize_size must ..." becomes "--resize-size must ...".
std::string name_the_flag(std::string message, const std::string& where) {
  if (!message.starts_with(where + ".")) return message;
  message.replace(0, where.size() + 1, "--");
  const auto flag_length = static_cast<std::ptrdiff_t>(message.find(' '));
  std::replace(message.begin(), message.begin() + flag_length, '_', '-');
  return message;
}

}  // namespace

void add_preprocess_options(CLI::App& app, PreprocessOptions& options) {
  const char* group = "Preprocessing (default: what the model's sidecar or metadata says)";
  app.add_option("--preset", options.preset, preset_names())->group(group);
  app.add_option("--channels", options.channels, "gray, rgb or bgr")->group(group);
  app.add_option("--resize", options.resize, "none, bilinear, bicubic or shortest")->group(group);
  app.add_option("--resize-size", options.resize_size,
                 "with --resize shortest: the shorter side before the centre is cut out")
      ->group(group);
  app.add_option("--scale", options.scale, "factor for the bytes of a picture, such as 0.00392157")
      ->group(group);
  app.add_option("--mean", options.mean, "A,B,C: subtracted after scaling")->group(group);
  app.add_option("--std", options.std, "A,B,C: divided by after that")->group(group);
  app.add_option("--layout", options.layout, "nchw or nhwc: what the network takes")->group(group);
}

Status apply_preprocess_options(const PreprocessOptions& options, Preprocess& preprocess) {
  TESSERA_ASSIGN_OR_RETURN(const nlohmann::json json, to_sidecar_json(options));
  if (json.empty()) return {};
  if (!options.preset.empty() && !find_preset(options.preset)) {
    return invalid_argument(
        fmt::format("--preset {}: must be one of {}", options.preset, preset_names()));
  }
  const std::string where = "command line";
  const Status status = apply_preprocess_json(json, where, preprocess);
  if (!status.ok()) return invalid_argument(name_the_flag(status.message(), where));
  if (!options.resize_size.empty() && preprocess.resize != ResizeMode::kShortest) {
    return invalid_argument("--resize-size has a meaning with --resize shortest only");
  }
  const bool only_preset = json.size() == 1 && !options.preset.empty();
  if (!only_preset) preprocess.preset += preprocess.preset.empty() ? where : " + " + where;
  return {};
}

}  // namespace tessera::cli
