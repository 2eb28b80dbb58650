// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/device.h"
#include "engine/executor/compiled_model.h"
#include "tools/infer/json.h"

namespace tessera::cli {

// One kernel on all problems of a group that it takes.
struct AccuracyRow {
  std::string operation, precision, layout;  // of the group; see kernels/accuracy/accuracy_grid.h
  std::string kernel;
  bool is_library = false;
  int problems = 0;    // that it took
  int refused = 0;     // and did not take
  double max = 0.0;    // largest of their largest errors
  double mean = 0.0;   // mean of their mean errors
  std::string worst;   // the problem with the largest error
  std::string reason;  // of the first refusal
};

// All that `infer accuracy` measured.
struct AccuracyReport {
  DeviceInfo device;
  std::vector<std::string> libraries;  // name and version, or why one is missing
  std::string command;                 // the command line
  std::string date;                    // UTC, ISO 8601
  std::string commit;                  // empty when TESSERA_COMMIT does not say
  std::vector<AccuracyRow> rows;
  std::vector<std::string> failures;

  // A kernel failed, or a result has a NaN or an infinity that it should not have.
  [[nodiscard]] bool has_wrong() const;
};

// Measures every kernel of the device on the grid, or on the groups of one operation.
// kInvalidArgument names the operations when there is none of that name. `progress` is told how
// many groups of how many are done.
Result<AccuracyReport> measure_accuracy(const OpenDevice& device, const std::string& operation,
                                        const std::function<void(size_t, size_t)>& progress);

// The keys are in docs/cli.md.
Json to_json(const AccuracyReport& report);

// One row per group and kernel, then a line for each failure.
std::string to_text(const AccuracyReport& report, bool aligned);

// The same as a Markdown table with lines that say where, when and with what.
std::string to_markdown(const AccuracyReport& report);

}  // namespace tessera::cli
