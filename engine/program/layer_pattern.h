// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/program/program.h"

namespace tessera {

// Matches `text` against a pattern in which `*` stands for any characters and `?` for one.
bool matches_pattern(std::string_view pattern, std::string_view text);

// Whether the pattern matches the name or operator of node `member` of a step, or of any.
bool matches_member(std::string_view pattern, const Step& step, size_t member);
bool matches_step(std::string_view pattern, const Step& step);

// The names of the nodes of all layers for a message, each after a blank; of the first 60 when
// there are more.
std::string layer_names(const Program& program);

}  // namespace tessera
