// SPDX-License-Identifier: Apache-2.0
// Rows as one JSON document, and as JSON lines.
#include "engine/graph/printable.h"
#include "tools/infer/json.h"
#include "tools/infer/row_sink.h"
#include "tools/infer/row_writer.h"

namespace tessera::cli {
namespace {

Json row_to_json(const Row& row, const std::vector<std::string>& labels) {
  Json json;
  json["image"] = escape_name(row.name);
  if (!row.status.ok()) {
    json["error"] = printable(row.status.message(), std::string::npos);
    return json;
  }
  json["top"] = Json::array();
  for (const Ranked& ranked : row.top) {
    json["top"].push_back({{"index", ranked.index},
                           {"label", label_of(labels, ranked.index)},
                           {"score", ranked.score}});
  }
  return json;
}

class JsonLinesWriter final : public RowWriter {
 public:
  JsonLinesWriter(ByteSink sink, const RowFormat& format)
      : labels_(format.labels), sink_(std::move(sink)) {}

  Status write(const Row& row) override {
    sink_.append_row(to_text(row_to_json(row, labels_)) + '\n');
    return {};
  }
  Status flush() override { return sink_.flush(); }
  Status finish(const RunTotals&) override {
    TESSERA_RETURN_IF_ERROR(flush());
    return sink_.close();
  }

 private:
  std::vector<std::string> labels_;
  RowSink sink_;
};

// {"model":..., "device":..., "results":[...], "images":..., "failed":..., "seconds":...,
//  "complete":...}: the totals come last, so that rows can be written as they arrive.
class JsonWriter final : public RowWriter {
 public:
  JsonWriter(ByteSink sink, const RowFormat& format)
      : labels_(format.labels), sink_(std::move(sink)) {
    sink_.append_head("{\"model\":" + to_text(Json(escape_name(format.model))) +
                      ",\"device\":" + to_text(Json(format.device)) + ",\"results\":[");
  }

  Status write(const Row& row) override {
    sink_.append_row((first_ ? "\n" : ",\n") + to_text(row_to_json(row, labels_)));
    first_ = false;
    return {};
  }
  Status flush() override { return sink_.flush(); }
  Status finish(const RunTotals& totals) override {
    const Json tail = {{"images", totals.images},
                       {"failed", totals.failed},
                       {"seconds", totals.seconds},
                       {"complete", totals.complete}};
    TESSERA_RETURN_IF_ERROR(sink_.write_tail("\n]," + to_text(tail).substr(1) + '\n'));
    return sink_.close();
  }

 private:
  std::vector<std::string> labels_;
  bool first_ = true;
  RowSink sink_;
};

}  // namespace

std::unique_ptr<RowWriter> make_json_writer(ByteSink sink, const RowFormat& format) {
  return std::make_unique<JsonWriter>(std::move(sink), format);
}

std::unique_ptr<RowWriter> make_json_lines_writer(ByteSink sink, const RowFormat& format) {
  return std::make_unique<JsonLinesWriter>(std::move(sink), format);
}

}  // namespace tessera::cli
