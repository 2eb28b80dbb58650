// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/page_section.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "engine/plan/atomic_file.h"

namespace tessera::cli {
namespace {

std::string read_text(std::istream& file) {
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Status write_section(const std::string& path, const std::string& name, const std::string& text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found(fmt::format("{}: {}", path, std::strerror(errno)));
  std::string page = read_text(file);
  const std::string begin = fmt::format("<!-- begin: {} -->\n", name);
  const std::string end = fmt::format("<!-- end: {} -->", name);
  const size_t at = page.find(begin);
  const size_t until = at == std::string::npos ? at : page.find(end, at);
  if (until == std::string::npos) {
    return invalid_argument(fmt::format("{}: has no lines '{}' and '{}' to write between", path,
                                        begin.substr(0, begin.size() - 1), end));
  }
  page.replace(at + begin.size(), until - at - begin.size(), text);
  return write_file_atomically(path, page);
}

}  // namespace tessera::cli
