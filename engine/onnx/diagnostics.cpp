// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/diagnostics.h"

#include "core/one_line.h"

namespace tessera {

Status Diagnostics::status() const {
  const Status problems = problems_.status();
  if (problems.ok()) return problems;
  const std::string file = in_one_line(file_) + ": ";
  std::string message = file;
  for (const char c : problems.message()) {
    message += c;
    if (c == '\n') message += file;
  }
  return {problems.code(), std::move(message)};
}

}  // namespace tessera
