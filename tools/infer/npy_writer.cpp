// SPDX-License-Identifier: Apache-2.0
// Scores as a numpy array file: float32 (rows, classes), NaN for a sample that failed.
// Format: numpy.lib.format, version 1.0.
#include <fmt/format.h>
#include <limits>

#include "tools/infer/row_sink.h"
#include "tools/infer/row_writer.h"

namespace tessera::cli {
namespace {

constexpr size_t kHeaderBytes = 128;

// Always kHeaderBytes long, so that it can be written again when the number of rows is known.
std::string npy_header(size_t rows, size_t classes) {
  constexpr size_t kPrefixBytes = 10;  // magic, version, length
  constexpr size_t kTextBytes = kHeaderBytes - kPrefixBytes;
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(kTextBytes);
  header += '\0';
  header +=
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, classes);
  header.resize(kHeaderBytes - 1, ' ');
  return header + '\n';
}

class NpyWriter final : public RowWriter {
 public:
  explicit NpyWriter(ByteSink sink) : sink_(std::move(sink)) {}

  Status write(const Row& row) override {
    if (!row.status.ok() && !started_) {
      ++leading_failures_;  // the number of classes is not known yet
      return {};
    }
    if (!started_) start(row.scores.size());
    if (!row.status.ok()) {
      append_missing();
      return {};
    }
    if (row.scores.size() != classes_) {
      return invalid_argument(
          fmt::format("{}: has {} scores where the samples before it had {}: a .npy file holds "
                      "one shape",
                      row.name, row.scores.size(), classes_));
    }
    sink_.append_row({reinterpret_cast<const char*>(row.scores.data()), row.scores.size_bytes()});
    return {};
  }
  Status flush() override { return started_ ? sink_.flush() : Status(); }
  Status finish(const RunTotals&) override {
    if (!started_) start(0);
    const Status status = sink_.flush();
    if (sink_.bytes().written() >= kHeaderBytes) {
      const size_t rows = classes_ == 0 ? leading_failures_ : sink_.rows();
      TESSERA_RETURN_IF_ERROR(sink_.bytes().overwrite(0, npy_header(rows, classes_)));
    }
    TESSERA_RETURN_IF_ERROR(status);
    return sink_.close();
  }

 private:
  void start(size_t classes) {
    started_ = true;
    classes_ = classes;
    sink_.append_head(npy_header(0, classes));
    for (size_t i = 0; i < leading_failures_; ++i) append_missing();
  }
  void append_missing() {
    const std::vector<float> missing(classes_, std::numeric_limits<float>::quiet_NaN());
    sink_.append_row(
        {reinterpret_cast<const char*>(missing.data()), missing.size() * sizeof(float)});
  }

  RowSink sink_;
  bool started_ = false;
  size_t leading_failures_ = 0;
  size_t classes_ = 0;
};

}  // namespace

std::unique_ptr<RowWriter> make_npy_writer(ByteSink sink) {
  return std::make_unique<NpyWriter>(std::move(sink));
}

}  // namespace tessera::cli
