// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// The candidate that `word` most likely stands for: the least edit distance, at most a third of its
// length. Empty when none is that near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tessera
