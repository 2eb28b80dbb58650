// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/infer/json.h"
#include "tools/infer/kernel_bench.h"
#include "tools/infer/kernel_problems.h"

namespace tessera::cli {

// All that `infer kernels FAMILY` measured.
struct KernelReport {
  DeviceInfo device;
  std::string family;
  std::string dtype;
  std::string command;  // the command line
  std::string date;     // UTC, ISO 8601
  std::string commit;   // empty when TESSERA_COMMIT does not say
  struct Group {
    NamedProblem problem;
    std::vector<MeasuredKernel> rows;
  };
  std::vector<Group> groups;

  // A kernel failed, or its result is outside its tolerance.
  [[nodiscard]] bool has_wrong() const;
};

// The keys are in docs/cli.md.
Json to_json(const KernelReport& report);

// One row per problem and kernel, then one line for each refusal and failure.
std::string to_text(const KernelReport& report, bool aligned);

// The same as a Markdown table with a line that says where and when.
std::string to_markdown(const KernelReport& report);

}  // namespace tessera::cli
