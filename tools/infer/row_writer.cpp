// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/row_writer.h"

#include <filesystem>
#include <fmt/format.h>

#include "tools/infer/console.h"

namespace tessera::cli {

Result<std::unique_ptr<RowWriter>> make_file_writer(const std::string& path,
                                                    const RowFormat& format) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const bool known =
      extension == ".csv" || extension == ".json" || extension == ".jsonl" || extension == ".npy";
  if (!known) {
    return invalid_argument(fmt::format(
        "--output {}: the extension says the format and must be .csv, .jsonl, .json or .npy",
        path));
  }
  TESSERA_ASSIGN_OR_RETURN(ByteSink sink, ByteSink::create(path));
  if (extension == ".csv") return make_csv_writer(std::move(sink), format);
  if (extension == ".json") return make_json_writer(std::move(sink), format);
  if (extension == ".jsonl") return make_json_lines_writer(std::move(sink), format);
  if (!sink.can_truncate()) {
    return invalid_argument(fmt::format(
        "--output {}: a .npy file states its length at the front and needs a regular file", path));
  }
  return make_npy_writer(std::move(sink));
}

std::unique_ptr<RowWriter> make_stdout_writer(const RowFormat& format, bool json) {
  if (json) return make_json_writer(ByteSink::standard_output(), format);
  return make_table_writer(ByteSink::standard_output(), format, stdout_is_terminal());
}

}  // namespace tessera::cli
