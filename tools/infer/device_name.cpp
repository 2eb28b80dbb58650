// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/device_name.h"

#include <fmt/format.h>

namespace tessera::cli {

std::string describe_device(const DeviceInfo& info) {
  const bool is_gpu = info.multiprocessors > 0;
  std::string text = is_gpu ? fmt::format("{}:{}", info.backend, info.ordinal) : info.backend;
  if (!info.name.empty()) text += " " + info.name;
  if (!is_gpu && info.threads > 0) {
    text += fmt::format(" ({} thread{})", info.threads, info.threads == 1 ? "" : "s");
  }
  return text;
}

}  // namespace tessera::cli
