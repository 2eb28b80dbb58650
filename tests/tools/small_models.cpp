// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/small_models.h"

#include "tests/engine/onnx_builder.h"

namespace tessera {
namespace {

std::string big_endian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>((value >> static_cast<unsigned>(shift)) & 0xFFU);
  }
  return bytes;
}

}  // namespace

void write_brightest_pixel_model(const std::string& path) {
  OnnxBuilder builder;
  builder.input("x", DType::kF32, {"batch", 1, 2, 2})
      .node("Flatten", {"x"}, {"flat"})
      .node("Mul", {"flat", "one"}, {"y"}, {}, "scale")
      .initializer("one", Tensor::from_values<float>(Shape({1}), {1.0F}))
      .output("y", DType::kF32, {"batch", 4});
  builder.write(path);
  const std::string sidecar = path.substr(0, path.rfind(".onnx")) + ".infer.json";
  write_file(sidecar, R"({"format": 1,
    "labels": ["top left", "top right", "bottom left", "bottom right"],
    "preprocess": {"preset": "brightest pixel", "channels": "gray", "width": 2, "height": 2,
                   "resize": "none", "scale": 0.00392156862745098, "mean": [0.0], "std": [1.0],
                   "layout": "NCHW"}})");
}

void write_pgm(const std::string& path, int width, int height, const std::vector<uint8_t>& pixels) {
  write_file(path, "P5\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" +
                       std::string(pixels.begin(), pixels.end()));
}

void write_pixel(const std::string& path, size_t brightest) {
  std::vector<uint8_t> pixels(4, 0);
  pixels[brightest] = 255;
  write_pgm(path, 2, 2, pixels);
}

void write_idx_pictures(const std::string& path, size_t count) {
  constexpr uint32_t kMagic = 0x00000803;  // uint8, three dimensions
  std::string bytes =
      big_endian(kMagic) + big_endian(static_cast<uint32_t>(count)) + big_endian(2) + big_endian(2);
  for (size_t i = 0; i < count; ++i) {
    for (size_t pixel = 0; pixel < 4; ++pixel) bytes += pixel == i % 4 ? '\xff' : '\0';
  }
  write_file(path, bytes);
}

void write_idx_labels(const std::string& path, const std::vector<uint8_t>& labels) {
  constexpr uint32_t kMagic = 0x00000801;  // uint8, one dimension
  write_file(path, big_endian(kMagic) + big_endian(static_cast<uint32_t>(labels.size())) +
                       std::string(labels.begin(), labels.end()));
}

}  // namespace tessera
