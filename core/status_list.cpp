// SPDX-License-Identifier: Apache-2.0
#include "core/status_list.h"

#include <algorithm>
#include <string_view>

namespace tessera {
namespace {

constexpr size_t kMaxPlaces = 3;
constexpr size_t kMaxLines = 5;    // of one kind
constexpr size_t kMaxKinds = 100;  // a hostile file may have a million

// "reads 'x', which" -> "reads '', which"
std::string without_quoted_names(std::string_view message) {
  std::string kind;
  bool quoted = false;
  for (const char c : message) {
    if (c == '\'') quoted = !quoted;
    if (!quoted || c == '\'') kind += c;
  }
  return kind;
}

}  // namespace

std::string StatusList::Line::to_string() const {
  std::string text;
  for (const std::string& place : places) text += (text.empty() ? "" : ", ") + place;
  if (more_places > 0) text += " and " + std::to_string(more_places) + " more";
  return text.empty() ? message : text + ": " + message;
}

StatusList::Kind* StatusList::find_kind(const std::string& message) {
  std::string key = without_quoted_names(message);
  const auto found = index_.find(key);
  if (found != index_.end()) return &kinds_[found->second];
  if (kinds_.size() == kMaxKinds) return nullptr;
  index_.emplace(std::move(key), kinds_.size());
  return &kinds_.emplace_back();
}

void StatusList::add(const std::string& where, const Status& status) {
  if (status.ok()) return;
  if (empty()) code_ = status.code();
  Kind* kind = find_kind(status.message());
  if (kind == nullptr) {
    ++more_;
    return;
  }
  const auto line = std::find_if(kind->lines.begin(), kind->lines.end(), [&](const Line& old) {
    return !where.empty() && !old.places.empty() && old.message == status.message();
  });
  if (line != kind->lines.end()) {
    if (line->places.size() < kMaxPlaces) {
      line->places.push_back(where);
    } else {
      ++line->more_places;
    }
  } else if (kind->lines.size() < kMaxLines) {
    kind->lines.push_back({status.message(), {}, 0});
    if (!where.empty()) kind->lines.back().places.push_back(where);
  } else {
    ++kind->more;
  }
}

Status StatusList::status() const {
  std::string text;
  const auto append = [&text](const std::string& line) {
    text += (text.empty() ? "" : "\n") + line;
  };
  for (const Kind& kind : kinds_) {
    for (const Line& line : kind.lines) append(line.to_string());
    if (kind.more > 0) append("and " + std::to_string(kind.more) + " more problems like the last");
  }
  if (more_ > 0) append("and " + std::to_string(more_) + " more problems");
  return {code_, std::move(text)};
}

}  // namespace tessera
