// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/console.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/check.h"
#include "engine/graph/printable.h"
#include "tools/infer/byte_sink.h"

namespace tessera::cli {

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    // open() takes the lowest free descriptor. Writing to this one fails, as to a closed one.
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
  }
}

void print_problem(std::string_view message) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  std::string text = "infer: ";
  while (true) {
    const size_t end = message.find('\n');
    text += printable(message.substr(0, end), std::string_view::npos);
    if (end == std::string_view::npos) break;
    text += "\n  ";
    message.remove_prefix(end + 1);
  }
  print_note(text);
}

void print_note(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Status print_output(std::string_view text) {
  ByteSink out = ByteSink::standard_output();
  out.append(text);
  return out.flush();
}

void Table::add(std::vector<std::string> cells) {
  TESSERA_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

namespace {

std::string join_cells(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += '\t';
    line += cells[i];
  }
  return line + '\n';
}

std::string align_cells(const std::vector<std::string>& cells,
                        const std::vector<Table::Column>& columns,
                        const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - display_width(cells[i]), ' ');
    if (i > 0) line += "  ";
    line += columns[i].align == Table::Align::kRight ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

std::string Table::to_string(bool aligned) const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string text;
  if (!aligned) {
    text += join_cells(titles);
    for (const auto& row : rows_) text += join_cells(row);
    return text;
  }
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(display_width(titles[i]));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  text += align_cells(titles, columns_, widths);
  for (const auto& row : rows_) text += align_cells(row, columns_, widths);
  return text;
}

Status print_table(const Table& table) {
  return print_output(table.to_string(stdout_is_terminal()));
}

size_t display_width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // not a continuation byte
  }));
}

std::string format_bytes(size_t bytes) {
  constexpr double kKib = 1024.0;
  const auto value = static_cast<double>(bytes);
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (value < kKib * kKib) return fmt::format("{:.1f} KiB", value / kKib);
  if (value < kKib * kKib * kKib) return fmt::format("{:.1f} MiB", value / (kKib * kKib));
  return fmt::format("{:.1f} GiB", value / (kKib * kKib * kKib));
}

}  // namespace tessera::cli
