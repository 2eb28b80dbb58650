// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// A network of one node for 2x2 gray pictures: (batch, 1, 2, 2) -> Flatten -> (batch, 4) scores,
// which are the pixels themselves (0 to 1). The brightest pixel is the answer. Its sidecar names
// the classes "top left", "top right", "bottom left", "bottom right" and turns resizing off.
void write_brightest_pixel_model(const std::string& path);

// A gray picture in the PGM format, which every build can read.
void write_pgm(const std::string& path, int width, int height, const std::vector<uint8_t>& pixels);

// A 2x2 picture whose pixel `brightest` is 255 and the others 0.
void write_pixel(const std::string& path, size_t brightest);

// IDX files as the MNIST data sets have: `count` 2x2 pictures whose brightest pixels are 0, 1, 2,
// 3, 0, ..., and labels.
void write_idx_pictures(const std::string& path, size_t count);
void write_idx_labels(const std::string& path, const std::vector<uint8_t>& labels);

}  // namespace tessera
