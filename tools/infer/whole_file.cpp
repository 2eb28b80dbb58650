// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/whole_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace tessera::cli {
namespace {

std::string read_text(std::istream& file) {
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Status write_whole_file(const std::string& path, const std::string& text) {
  const std::string draft = path + ".tmp";
  {
    std::ofstream file(draft, std::ios::binary);
    file << text;
    file.flush();
    if (!file) return io_error(fmt::format("{}: cannot write: {}", draft, std::strerror(errno)));
  }
  std::error_code error;
  std::filesystem::rename(draft, path, error);
  if (!error) return {};
  return io_error(fmt::format("{}: cannot write: {}", path, error.message()));
}

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
  return write_whole_file(path, page);
}

}  // namespace tessera::cli
