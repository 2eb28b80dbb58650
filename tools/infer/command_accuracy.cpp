// SPDX-License-Identifier: Apache-2.0
// infer accuracy
#include <optional>

#include "engine/plan/atomic_file.h"
#include "tools/infer/accuracy_report.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/options.h"
#include "tools/infer/page_section.h"
#include "tools/infer/progress.h"

namespace tessera::cli {
namespace {

struct AccuracyOptions {
  std::string device = "auto";
  std::string operation;
  std::string write_path;
  std::string json_path;
  bool wants_json = false;
};

void add_options(CLI::App& app, AccuracyOptions& options) {
  app.add_option("--device", options.device, "auto, cuda, cuda:N, cpu or reference");
  app.add_option("--operation", options.operation, "only this one: gemm, conv, 'pool max', ...");
  app.add_option("--write", options.write_path,
                 "rewrite the table of a Markdown page between its markers");
  app.add_option("--json", options.json_path, "one JSON document, on stdout or in a file")
      ->expected(0, 1);
}

Status publish(const AccuracyReport& report, const AccuracyOptions& options) {
  if (!options.write_path.empty()) {
    TESSERA_RETURN_IF_ERROR(write_section(options.write_path, "accuracy", to_markdown(report)));
  }
  if (options.wants_json && options.json_path.empty()) return print_json(to_json(report));
  if (options.wants_json) {
    TESSERA_RETURN_IF_ERROR(
        write_file_atomically(options.json_path, to_text(to_json(report), 1) + '\n'));
  }
  return print_output(to_text(report, stdout_is_terminal()));
}

Result<int> run(const AccuracyOptions& options, const std::string& command) {
  TESSERA_ASSIGN_OR_RETURN(const OpenDevice device, open_device(options.device));
  std::optional<Progress> bar;
  Result<AccuracyReport> report =
      measure_accuracy(device, options.operation, [&](size_t done, size_t total) {
        if (!bar) bar.emplace(total, stderr_is_terminal());
        bar->update(done);
      });
  bar.reset();
  if (!report.ok()) return report.status();
  report->command = command;
  TESSERA_RETURN_IF_ERROR(publish(*report, options));
  return report->has_wrong() ? kExitFailed : kExitOk;
}

}  // namespace

int run_accuracy(int argc, const char* const* argv) {
  CLI::App app("The errors of all kernels, ours and the libraries', against float64.", "accuracy");
  AccuracyOptions options;
  add_options(app, options);
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  options.wants_json = app.count("--json") > 0;
  std::string command = "infer";
  for (int i = 0; i < argc; ++i) command += std::string(" ") + argv[i];
  const Result<int> result = run(options, command);
  return result.ok() ? *result : report_error(result.status());
}

}  // namespace tessera::cli
