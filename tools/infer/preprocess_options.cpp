// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/preprocess_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <span>
#include <string_view>

#include "tools/infer/options.h"

namespace tessera::cli {
namespace {

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

constexpr Choice<ColorMode> kColors[] = {
    {"gray", ColorMode::kGray}, {"rgb", ColorMode::kRgb}, {"bgr", ColorMode::kBgr}};
constexpr Choice<ResizeMode> kResizes[] = {{"none", ResizeMode::kNone},
                                           {"bilinear", ResizeMode::kBilinear},
                                           {"bicubic", ResizeMode::kBicubic},
                                           {"shortest", ResizeMode::kShortest}};
constexpr Choice<bool> kLayouts[] = {{"nchw", false}, {"nhwc", true}};

// How well-known families of models were trained. The size stays the model's own.
struct Preset {
  std::string_view name;
  ColorMode color;
  ResizeMode resize;
  int64_t resize_size;
  float scale;
  std::array<float, 4> mean;
  std::array<float, 4> std;
};
constexpr float kTo01 = 1.0F / 255.0F;
constexpr Preset kPresets[] = {
    {"fashion-mnist", ColorMode::kGray, ResizeMode::kBilinear, 0, kTo01, {0.2860F}, {0.3530F}},
    {"mnist", ColorMode::kGray, ResizeMode::kBilinear, 0, kTo01, {0.1307F}, {0.3081F}},
    {"imagenet",
     ColorMode::kRgb,
     ResizeMode::kShortest,
     256,
     kTo01,
     {0.485F, 0.456F, 0.406F},
     {0.229F, 0.224F, 0.225F}},
    {"unit", ColorMode::kRgb, ResizeMode::kBilinear, 0, kTo01, {}, {1.0F, 1.0F, 1.0F, 1.0F}},
};

template <typename T, size_t kCount>
Result<T> choose(const std::string& flag, std::string text, const Choice<T> (&choices)[kCount]) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string known;
  for (const Choice<T>& choice : choices) {
    if (choice.name == text) return choice.value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", choice.name);
  }
  return invalid_argument(fmt::format("{} {}: must be one of {}", flag, text, known));
}

Status apply_preset(const std::string& name, Preprocess& preprocess) {
  std::string known;
  for (const Preset& preset : kPresets) {
    if (preset.name == name) {
      preprocess.color = preset.color;
      preprocess.resize = preset.resize;
      preprocess.resize_size = preset.resize_size;
      preprocess.scale = preset.scale;
      preprocess.mean = preset.mean;
      preprocess.std = preset.std;
      return {};
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", preset.name);
  }
  return invalid_argument(fmt::format("--preset {}: must be one of {}", name, known));
}

// One number for all channels, or one for each.
Status apply_channel_values(const std::string& flag, const std::string& text, int64_t channels,
                            std::array<float, 4>& values) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<float> numbers, parse_numbers(flag, text));
  const auto count = static_cast<size_t>(channels);
  if (numbers.size() != 1 && numbers.size() != count) {
    return invalid_argument(fmt::format("{} {}: has {} numbers, but there are {} channels", flag,
                                        text, numbers.size(), count));
  }
  for (size_t i = 0; i < count; ++i) values[i] = numbers[numbers.size() == 1 ? 0 : i];
  return {};
}

}  // namespace

void add_preprocess_options(CLI::App& app, PreprocessOptions& options) {
  const char* group = "Preprocessing (default: what the model's sidecar or metadata says)";
  app.add_option("--preset", options.preset, "fashion-mnist, mnist, imagenet or unit")
      ->group(group);
  app.add_option("--channels", options.channels, "gray, rgb or bgr")->group(group);
  app.add_option("--mean", options.mean, "A,B,C: subtracted after scaling")->group(group);
  app.add_option("--std", options.std, "A,B,C: divided by after that")->group(group);
  app.add_option("--scale", options.scale, "factor for the bytes of a picture, such as 0.00392157")
      ->group(group);
  app.add_option("--resize", options.resize, "none, bilinear, bicubic or shortest")->group(group);
  app.add_option("--layout", options.layout, "nchw or nhwc")->group(group);
}

Status apply_preprocess_options(const PreprocessOptions& options, Preprocess& preprocess) {
  if (!options.preset.empty()) {
    TESSERA_RETURN_IF_ERROR(apply_preset(options.preset, preprocess));
    preprocess.preset = options.preset;
  }
  if (!options.channels.empty()) {
    TESSERA_ASSIGN_OR_RETURN(preprocess.color, choose("--channels", options.channels, kColors));
  }
  if (!options.resize.empty()) {
    TESSERA_ASSIGN_OR_RETURN(preprocess.resize, choose("--resize", options.resize, kResizes));
  }
  if (!options.layout.empty()) {
    TESSERA_ASSIGN_OR_RETURN(preprocess.nhwc, choose("--layout", options.layout, kLayouts));
  }
  if (!options.scale.empty()) {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<float> scale,
                             parse_numbers("--scale", options.scale));
    if (scale.size() != 1) return invalid_argument("--scale takes one number");
    preprocess.scale = scale[0];
  }
  const int64_t channels = preprocess.channels();
  if (!options.mean.empty()) {
    TESSERA_RETURN_IF_ERROR(
        apply_channel_values("--mean", options.mean, channels, preprocess.mean));
  }
  if (!options.std.empty()) {
    TESSERA_RETURN_IF_ERROR(apply_channel_values("--std", options.std, channels, preprocess.std));
    for (int64_t i = 0; i < channels; ++i) {
      if (preprocess.std[static_cast<size_t>(i)] == 0.0F) {
        return invalid_argument("--std " + options.std + ": must not be zero");
      }
    }
  }
  const bool changed = !options.channels.empty() || !options.resize.empty() ||
                       !options.layout.empty() || !options.scale.empty() || !options.mean.empty() ||
                       !options.std.empty();
  if (changed) preprocess.preset += preprocess.preset.empty() ? "command line" : " + command line";
  return {};
}

}  // namespace tessera::cli
