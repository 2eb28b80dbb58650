// SPDX-License-Identifier: Apache-2.0
#include "engine/image/preprocess.h"

#include <array>
#include <cstdio>

namespace tessera {
namespace {

// Shorter than std::to_string and enough to tell one normalisation from another.
std::string number_text(float value) {
  std::array<char, 32> text = {};
  const int length = std::snprintf(text.data(), text.size(), "%.6g", static_cast<double>(value));
  return std::string(text.data(), static_cast<size_t>(length));
}

// "0.286", or "[0.485, 0.456, 0.406]" when the channels differ.
std::string channel_text(const std::array<float, 4>& values, int64_t channels) {
  std::string text = number_text(values[0]);
  bool equal = true;
  for (size_t c = 1; c < static_cast<size_t>(channels); ++c) {
    equal = equal && values[c] == values[0];
    text += ", " + number_text(values[c]);
  }
  return equal ? number_text(values[0]) : "[" + text + "]";
}

std::string normalization_text(const Preprocess& preprocess) {
  const int64_t channels = preprocess.channels();
  const std::string mean = channel_text(preprocess.mean, channels);
  const std::string std = channel_text(preprocess.std, channels);
  std::string text = preprocess.scale == 1.0f ? "x" : "x * " + number_text(preprocess.scale);
  if (mean != "0") text += " - " + mean;
  if (std == "1") return text;
  return (text == "x" ? text : "(" + text + ")") + " / " + std;
}

std::string resize_text(const Preprocess& preprocess) {
  switch (preprocess.resize) {
    case ResizeMode::kNone:
      return "no resize";
    case ResizeMode::kBilinear:
      return "bilinear resize";
    case ResizeMode::kBicubic:
      return "bicubic resize";
    case ResizeMode::kShortest:
      break;
  }
  return "shorter side to " + std::to_string(preprocess.resize_size) + " (bilinear), centre crop";
}

const char* color_text(ColorMode color) {
  switch (color) {
    case ColorMode::kGray:
      return "gray";
    case ColorMode::kRgb:
      return "RGB";
    case ColorMode::kBgr:
      break;
  }
  return "BGR";
}

Preprocess make_gray_preset(float mean, float std) {
  Preprocess preprocess;
  preprocess.height = 28;
  preprocess.width = 28;
  preprocess.color = ColorMode::kGray;
  preprocess.mean.fill(mean);
  preprocess.std.fill(std);
  return preprocess;
}

// The numbers of torchvision's ImageNet classifiers.
Preprocess make_imagenet_preset() {
  Preprocess preprocess;
  preprocess.height = 224;
  preprocess.width = 224;
  preprocess.resize = ResizeMode::kShortest;
  preprocess.resize_size = 256;
  preprocess.mean = {0.485f, 0.456f, 0.406f, 0.0f};
  preprocess.std = {0.229f, 0.224f, 0.225f, 1.0f};
  return preprocess;
}

Preprocess make_raw_preset() {
  Preprocess preprocess;
  preprocess.scale = 1.0f;
  return preprocess;
}

}  // namespace

std::optional<Preprocess> find_preset(std::string_view name) {
  std::optional<Preprocess> preset;
  if (name == "imagenet") preset = make_imagenet_preset();
  if (name == "mnist") preset = make_gray_preset(0.1307f, 0.3081f);
  if (name == "fashion-mnist") preset = make_gray_preset(0.2860f, 0.3530f);
  if (name == "raw") preset = make_raw_preset();
  if (preset) preset->preset = name;
  return preset;
}

std::string preset_names() { return "imagenet, mnist, fashion-mnist, raw"; }

std::string Preprocess::to_string() const {
  const std::string size =
      height > 0 && width > 0 ? std::to_string(width) + "x" + std::to_string(height) : "any size";
  return size + " " + color_text(color) + ", " + resize_text(*this) + ", " +
         normalization_text(*this) + (nhwc ? ", NHWC" : "");
}

}  // namespace tessera
