// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/diagnostics.h"

namespace tessera {
namespace {

constexpr size_t kMaxLines = 100;

}  // namespace

void Diagnostics::add(StatusCode code, const std::string& problem) {
  if (count_ == 0) code_ = code;
  if (count_ < kMaxLines) {
    if (count_ > 0) lines_ += '\n';
    lines_ += file_ + ": " + problem;
  }
  ++count_;
}

void Diagnostics::add(const std::string& where, const Status& status) {
  if (!status.ok()) add(status.code(), where + ": " + status.message());
}

Status Diagnostics::status() const {
  if (empty()) return {};
  std::string message = lines_;
  if (count_ > kMaxLines) {
    message += "\n" + file_ + ": and " + std::to_string(count_ - kMaxLines) + " more problems";
  }
  return {code_, std::move(message)};
}

}  // namespace tessera
