// SPDX-License-Identifier: Apache-2.0
#include "engine/image/text_lines.h"

#include <string_view>

#include "engine/image/file_bytes.h"

namespace tessera {
namespace {

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  const size_t first = line.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

Result<std::vector<std::string>> read_text_lines(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, read_file_bytes(path));
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.find('\0') != std::string_view::npos) {
    return invalid_argument("not a text file, it holds zero bytes").with_context(path);
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace tessera
