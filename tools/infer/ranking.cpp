// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/ranking.h"

#include <algorithm>

namespace tessera::cli {

std::vector<Ranked> top_k(std::span<const float> scores, size_t count) {
  std::vector<Ranked> ranked(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) ranked[i] = {static_cast<int64_t>(i), scores[i]};
  count = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    ranked.end(), [](const Ranked& a, const Ranked& b) {
                      return a.score != b.score ? a.score > b.score : a.index < b.index;
                    });
  ranked.resize(count);
  return ranked;
}

std::string label_of(const std::vector<std::string>& labels, int64_t index) {
  const auto position = static_cast<size_t>(index);
  return position < labels.size() ? labels[position] : std::to_string(index);
}

}  // namespace tessera::cli
