// SPDX-License-Identifier: Apache-2.0
// Rows for people and for spreadsheets: an aligned table, tab-separated fields, CSV.
#include <algorithm>
#include <fmt/format.h>

#include "engine/graph/printable.h"
#include "tools/infer/console.h"
#include "tools/infer/row_sink.h"
#include "tools/infer/row_writer.h"

namespace tessera::cli {
namespace {

// A field of a CSV file, quoted where RFC 4180 section 2 asks for it.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// `image,top1,score1,...,topK,scoreK,error`
class CsvWriter final : public RowWriter {
 public:
  CsvWriter(ByteSink sink, const RowFormat& format) : format_(format), sink_(std::move(sink)) {
    std::string head = "image";
    for (size_t k = 1; k <= format_.top_count; ++k) head += fmt::format(",top{0},score{0}", k);
    sink_.append_head(head + ",error\n");
  }

  Status write(const Row& row) override {
    std::string line = csv_field(escape_name(row.name));
    for (size_t k = 0; k < format_.top_count; ++k) {
      const bool known = row.status.ok() && k < row.top.size();
      line += known ? fmt::format(",{},{}", csv_field(label_of(format_.labels, row.top[k].index)),
                                  row.top[k].score)
                    : ",,";
    }
    sink_.append_row(line + ',' + csv_field(printable(row.status.message(), std::string::npos)) +
                     '\n');
    return {};
  }
  Status flush() override { return sink_.flush(); }
  Status finish(const RunTotals&) override {
    TESSERA_RETURN_IF_ERROR(flush());
    return sink_.close();
  }

 private:
  RowFormat format_;
  RowSink sink_;
};

// One line a sample: its name, then label and score of its best classes. A sample that failed has
// no line here; its message is on stderr.
class TableWriter final : public RowWriter {
 public:
  TableWriter(ByteSink sink, const RowFormat& format, bool aligned)
      : format_(format), aligned_(aligned), sink_(std::move(sink)) {
    for (const std::string& label : format_.labels) {
      label_width_ = std::max(label_width_, display_width(label));
    }
  }

  Status write(const Row& row) override {
    if (!row.status.ok()) return {};
    std::string line = escape_name(row.name);
    if (aligned_) line += padding(line, format_.name_width);
    for (const Ranked& ranked : row.top) {
      const std::string label = escape_name(label_of(format_.labels, ranked.index));
      line += aligned_
                  ? fmt::format("  {}{} {:8.4f}", label, padding(label, label_width_), ranked.score)
                  : fmt::format("\t{}\t{}", label, ranked.score);
    }
    sink_.append_row(line + '\n');
    return {};
  }
  Status flush() override { return sink_.flush(); }
  Status finish(const RunTotals&) override { return flush(); }

 private:
  static std::string padding(std::string_view text, size_t width) {
    const size_t used = display_width(text);
    return used < width ? std::string(width - used, ' ') : std::string();
  }

  RowFormat format_;
  bool aligned_;
  size_t label_width_ = 0;
  RowSink sink_;
};

}  // namespace

std::unique_ptr<RowWriter> make_csv_writer(ByteSink sink, const RowFormat& format) {
  return std::make_unique<CsvWriter>(std::move(sink), format);
}

std::unique_ptr<RowWriter> make_table_writer(ByteSink sink, const RowFormat& format, bool aligned) {
  return std::make_unique<TableWriter>(std::move(sink), format, aligned);
}

}  // namespace tessera::cli
