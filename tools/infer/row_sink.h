// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "tools/infer/byte_sink.h"

namespace tessera::cli {

// A ByteSink that knows where rows end: when a write fails part of the way, a regular file is cut
// back to its last whole row, so that everything in it stays readable.
class RowSink {
 public:
  explicit RowSink(ByteSink bytes) : bytes_(std::move(bytes)) {}

  // What comes before the first row. Requires: no row yet.
  void append_head(std::string_view text) { append(text); }
  void append_row(std::string_view row);
  Status flush();
  // Writes what comes after the last row. When there is no room for it, rows make way for it, the
  // last first, two at most.
  Status write_tail(std::string_view text);
  Status close() { return bytes_.close(); }

  // Whole rows that reached the file.
  [[nodiscard]] size_t rows() const { return rows_; }
  [[nodiscard]] ByteSink& bytes() { return bytes_; }

 private:
  void append(std::string_view text) {
    bytes_.append(text);
    appended_ += text.size();
  }
  Status drop_last_row();

  ByteSink bytes_;
  size_t appended_ = 0;  // bytes handed to bytes_
  size_t rows_ = 0;
  std::vector<size_t> pending_ends_;  // where the rows end that wait for flush
  std::vector<size_t> recent_ends_;   // where the head and the last rows in the file end
};

}  // namespace tessera::cli
