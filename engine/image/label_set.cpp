// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/tensor.h"
#include "engine/graph/printable.h"
#include "engine/image/array_file.h"
#include "engine/image/gzip.h"
#include "engine/image/input_source.h"
#include "engine/image/model_card.h"
#include "engine/image/text_lines.h"

namespace tessera {
namespace {

std::optional<int64_t> parse_integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string place_in(const std::string& path, size_t line) {
  return path + ", line " + std::to_string(line);
}

Status bad_line(const std::string& path, size_t line, std::string_view text,
                const std::string& wanted) {
  return invalid_argument(quote_name(text) + " is not " + wanted)
      .with_context(place_in(path, line));
}

// "name,label"; a first line whose label is no number is the header. Names may hold commas.
Result<LabelSet> read_csv(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::string> lines, read_text_lines(path));
  LabelSet labels;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.empty()) continue;
    const size_t comma = line.rfind(',');
    const std::optional<int64_t> label =
        comma == std::string_view::npos ? std::nullopt : parse_integer(line.substr(comma + 1));
    if (!label && i == 0) continue;
    if (!label) return bad_line(path, i + 1, line, "name,label with an integer label");
    labels.by_name.emplace_back(line.substr(0, comma), *label);
  }
  return labels;
}

Result<LabelSet> read_text(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<std::string> lines, read_text_lines(path));
  LabelSet labels;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::optional<int64_t> label = parse_integer(lines[i]);
    if (!label) return bad_line(path, i + 1, lines[i], "an integer");
    labels.by_index.push_back(*label);
  }
  return labels;
}

Result<LabelSet> read_array(const std::string& path, const ArrayFile& array) {
  if (array.shape.rank() != 1 || !dtype_is_integer(array.dtype)) {
    return invalid_argument("labels are a one-dimensional array of integers, not " +
                            std::string(dtype_name(array.dtype)) + " " + array.shape.to_string())
        .with_context(path);
  }
  TESSERA_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate({array.dtype, array.shape}));
  const std::span<std::byte> out(static_cast<std::byte*>(tensor.mutable_data()),
                                 tensor.size_bytes());
  if (Status status = array.bytes->read(array.data_offset, out); !status.ok()) {
    return status.with_context(path);
  }
  LabelSet labels;
  TESSERA_ASSIGN_OR_RETURN(labels.by_index, elements_as_int64(tensor));
  return labels;
}

// Whether the file begins as an IDX file or a gzip file does.
Result<bool> is_idx_or_gzip(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessBytes> file, open_file_bytes(path));
  if (file->size() < 2) return false;
  std::array<std::byte, 2> head = {};
  if (Status status = file->read(0, head); !status.ok()) return status.with_context(path);
  return is_gzip(head) || (head[0] == std::byte{0} && head[1] == std::byte{0});
}

Result<LabelSet> read_any(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const bool idx, is_idx_or_gzip(path));
  const std::string extension = std::filesystem::path(path).extension().string();
  if (idx) {
    TESSERA_ASSIGN_OR_RETURN(const ArrayFile array, open_idx_file(path));
    return read_array(path, array);
  }
  if (extension == ".npy") {
    TESSERA_ASSIGN_OR_RETURN(const ArrayFile array, open_npy_file(path));
    return read_array(path, array);
  }
  return extension == ".csv" ? read_csv(path) : read_text(path);
}

}  // namespace

Result<LabelSet> load_label_set(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(LabelSet labels, read_any(path));
  if (labels.by_index.empty() && labels.by_name.empty()) {
    return invalid_argument("no labels in this file").with_context(path);
  }
  return labels;
}

Result<std::vector<std::string>> load_labels(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<std::string> lines, read_text_lines(path));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.empty()) return invalid_argument("no labels in this file").with_context(path);
  for (size_t i = 0; i < lines.size(); ++i) {
    // Leaving it out would shift the labels after it.
    if (lines[i].empty()) {
      return invalid_argument("an empty label").with_context(place_in(path, i + 1));
    }
    if (!is_valid_utf8(lines[i])) {
      return invalid_argument(quote_name(lines[i]) + " is not UTF-8; convert the file with iconv")
          .with_context(place_in(path, i + 1));
    }
  }
  return lines;
}

}  // namespace tessera
