// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "tools/infer/byte_sink.h"
#include "tools/infer/ranking.h"

namespace tessera::cli {

// The answer for one sample: `scores` and `top`, or the status that says why there is none.
struct Row {
  std::string_view name;
  const Status& status;
  std::span<const float> scores;
  const std::vector<Ranked>& top;
};

// What a writer needs to know before the first row.
struct RowFormat {
  std::string model;
  std::string device;
  std::vector<std::string> labels;
  size_t top_count = 1;
  size_t name_width = 0;  // of the longest sample name, for an aligned table
};

struct RunTotals {
  size_t images = 0;
  size_t failed = 0;
  double seconds = 0.0;
  bool complete = true;  // false after an interruption or an error
};

// Writes rows in one format. finish() is called once, whatever happened before, and leaves a valid
// file with every row that was flushed.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual Status write(const Row& row) = 0;
  virtual Status flush() = 0;
  virtual Status finish(const RunTotals& totals) = 0;
};

// The writer for a file, by its extension: .csv .json .jsonl .npy. kInvalidArgument for another
// extension, kNotFound when the file cannot be created.
Result<std::unique_ptr<RowWriter>> make_file_writer(const std::string& path,
                                                    const RowFormat& format);
// The writer for stdout: JSON, an aligned table on a terminal, fields separated by tabs otherwise.
std::unique_ptr<RowWriter> make_stdout_writer(const RowFormat& format, bool json);

std::unique_ptr<RowWriter> make_csv_writer(ByteSink sink, const RowFormat& format);
std::unique_ptr<RowWriter> make_table_writer(ByteSink sink, const RowFormat& format, bool aligned);
std::unique_ptr<RowWriter> make_json_writer(ByteSink sink, const RowFormat& format);
std::unique_ptr<RowWriter> make_json_lines_writer(ByteSink sink, const RowFormat& format);
std::unique_ptr<RowWriter> make_npy_writer(ByteSink sink);

}  // namespace tessera::cli
