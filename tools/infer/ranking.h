// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tessera::cli {

// One class of a sample and its score.
struct Ranked {
  int64_t index = 0;
  float score = 0.0F;
};

// The `count` highest scores, highest first; of equal scores the lower index first. Requires: no
// NaN among the scores.
std::vector<Ranked> top_k(std::span<const float> scores, size_t count);

// The name of class `index`, or its number when there are no labels.
std::string label_of(const std::vector<std::string>& labels, int64_t index);

}  // namespace tessera::cli
