// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/include_rules.h"

#include <array>
#include <regex>
#include <sstream>

namespace tessera {
namespace {

// A third-party library and the only folder whose files may include it. Tests may include all.
struct Corner {
  const char* library;
  const char* header;  // a regular expression
  const char* folder;
};

const std::array<Corner, 4> kCorners = {{
    {"protobuf", R"(google/protobuf/.*|.*\.pb\.h)", "engine/onnx/"},
    {"oneDNN", R"(oneapi/dnnl/.*|dnnl.*)", "kernels/cpu/"},
    {"CUDA", R"(cuda/.*|(cuda|cublas|cudnn|nvrtc|cooperative_groups|mma).*\.h(pp)?)",
     "kernels/cuda/"},
    {"image libraries", R"(spng\.h|turbojpeg\.h|libexif/.*|stb.*\.h)", "engine/image/"},
}};

std::string top_folder(const std::string& path) { return path.substr(0, path.find('/')); }

// The reason why `header` must not be included by the file at `path`; empty when it may.
std::string third_party_problem(const std::string& path, const std::string& header) {
  if (top_folder(path) == "tests") return {};
  for (const Corner& corner : kCorners) {
    if (!std::regex_match(header, std::regex(corner.header))) continue;
    if (path.starts_with(corner.folder)) return {};
    return std::string(corner.library) + " belongs in " + corner.folder;
  }
  return {};
}

bool is_third_party(const std::string& header) {
  for (const Corner& corner : kCorners) {
    if (std::regex_match(header, std::regex(corner.header))) return true;
  }
  return false;
}

bool is_device_code(const std::string& path) {
  return path.ends_with(".cu") || path.ends_with(".cuh");
}

std::string own_header_problem(const IncludeDirection& direction, const std::string& path,
                               const std::string& header) {
  if (header.ends_with(".cuh") && !is_device_code(path)) return "host code includes a .cuh";
  if (is_third_party(header)) return {};
  const std::string from = top_folder(path);
  // The public headers lie in engine/include and are included as their users do.
  const std::string to = top_folder(header) == "tessera" ? "engine" : top_folder(header);
  if (!direction.contains(to)) return "not a path from the root of the tree";
  if (from == to) return {};
  const auto allowed = direction.find(from);
  if (allowed == direction.end()) return from + "/ is not in the table of include directions";
  return allowed->second.contains(to) ? "" : from + "/ must not include " + to + "/";
}

}  // namespace

IncludeDirection parse_include_direction(std::string_view markdown) {
  IncludeDirection direction;
  std::istringstream lines{std::string(markdown)};
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```include-direction") {
      inside = true;
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (const size_t colon = line.find(':'); inside && colon != std::string::npos) {
      std::set<std::string>& allowed = direction[line.substr(0, colon)];
      std::istringstream words(line.substr(colon + 1));
      for (std::string word; words >> word;) allowed.insert(word);
    }
  }
  return direction;
}

std::vector<std::string> check_includes(const IncludeDirection& direction, const std::string& path,
                                        std::string_view text) {
  static const std::regex include_line(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::vector<std::string> problems;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (!std::regex_match(line, match, include_line)) continue;
    const std::string header = match[2];
    std::string problem = third_party_problem(path, header);
    if (problem.empty() && match[1] == "\"") problem = own_header_problem(direction, path, header);
    if (problem.empty()) continue;
    problems.push_back(path + ":" + std::to_string(number) + ": " + header + ": " + problem);
  }
  return problems;
}

}  // namespace tessera
