// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/diagnostics.h"

namespace tessera {

Status Diagnostics::status() const {
  const Status problems = problems_.status();
  if (problems.ok()) return problems;
  std::string message = file_ + ": ";
  for (const char c : problems.message()) {
    message += c;
    if (c == '\n') message += file_ + ": ";
  }
  return {problems.code(), std::move(message)};
}

}  // namespace tessera
