// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace tessera::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();

// One line (or several, indented after the first) on stderr, beginning with "infer: ". Bytes that a
// terminal could not show are escaped.
void print_problem(std::string_view message);

// One line on stderr as it is: the header, the summary.
void print_note(std::string_view line);

// The whole of `text` on stdout. kIo when it could not be written (disk full, closed pipe).
Status print_output(std::string_view text);

// A table: columns aligned with blanks on a terminal, separated by tabs otherwise.
class Table {
 public:
  enum class Align { kLeft, kRight };

  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Requires: one cell per column.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::string to_string(bool aligned) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Puts something in the place of standard streams that the caller closed: a file that is opened
// later would take their place, and messages would be written into it. Call it first.
void occupy_closed_streams();

// Prints a table on stdout, aligned when stdout is a terminal.
Status print_table(const Table& table);

// Columns that a UTF-8 text takes, counting one per code point.
size_t display_width(std::string_view text);

// "1.5 MiB"
std::string format_bytes(size_t bytes);

}  // namespace tessera::cli
