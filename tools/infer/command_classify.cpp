// SPDX-License-Identifier: Apache-2.0
// infer MODEL INPUT...
#include <algorithm>
#include <fmt/format.h>

#include "engine/graph/printable.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/plan_files.h"
#include "tools/infer/row_writer.h"
#include "tools/infer/streaming_run.h"

namespace tessera::cli {
namespace {

struct ClassifyOptions {
  StreamingOptions streaming;
  std::vector<std::string> inputs;
  std::string output;
  size_t top = 1;
};

std::string help_footer() {
  std::string text = "\nSub-commands (infer COMMAND --help):\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  }
  return text +
         "\nA file with the name of a sub-command is given as ./NAME.\n"
         "Exit codes: 0 ok, 1 some inputs failed or output not written, 2 usage,\n"
         "3 model cannot run as asked, 4 device or library missing, 130 interrupted.";
}

void add_options(CLI::App& app, ClassifyOptions& options) {
  app.add_option("MODEL", options.streaming.model, "ONNX file")->required();
  app.add_option("INPUT", options.inputs,
                 "pictures, folders of pictures, IDX files (.gz too), .npy or .pb tensors")
      ->required();
  CLI::Option* output = app.add_option("--output", options.output,
                                       "write rows to a .csv, .jsonl, .json or .npy file");
  app.add_option("--top", options.top, "classes per row")
      ->check(integer_from(1))
      ->capture_default_str();
  add_streaming_options(app, options.streaming);
  app.get_option("--json")->excludes(output);  // both say where the rows go
  app.set_version_flag("--version", "", "print version and backends");
  app.footer(help_footer());
}

// Long enough to align a table by; more names than this are not looked at.
size_t longest_name(const StreamingRun& run) {
  constexpr size_t kLooked = 1000;
  size_t width = 0;
  for (const auto& source : run.sources) {
    for (size_t i = 0; i < std::min(kLooked, source->size()); ++i) {
      width = std::max(width, display_width(escape_name(source->name(i))));
    }
  }
  return width;
}

std::vector<std::string> files_read(const ClassifyOptions& options) {
  std::vector<std::string> read = files_of_model(options.streaming.model);
  read.insert(read.end(), options.inputs.begin(), options.inputs.end());
  read.push_back(options.streaming.labels);
  read.push_back(options.streaming.execution.load_plan);
  return read;
}

Result<std::unique_ptr<RowWriter>> make_writer(const ClassifyOptions& options,
                                               const StreamingRun& run) {
  RowFormat format;
  format.model = run.model->path();
  format.device = run.device_name();
  format.labels = run.card.labels;
  format.top_count = std::min(options.top, run.pipeline->scores_per_sample());
  if (!options.output.empty()) {
    TESSERA_RETURN_IF_ERROR(refuse_to_overwrite("--output", options.output, files_read(options)));
    return make_file_writer(options.output, format);
  }
  if (stdout_is_terminal()) format.name_width = longest_name(run);
  return make_stdout_writer(format, options.streaming.json);
}

StreamingOutcome write_rows(StreamingRun& run, const ClassifyOptions& options, RowWriter& writer) {
  const auto batch = static_cast<size_t>(run.pipeline->batch());
  const bool rows_on_screen = options.output.empty() && stdout_is_terminal();
  const bool bar = stderr_is_terminal() && !options.streaming.quiet && !rows_on_screen;
  return stream_samples(run, bar, [&](const SampleResult& sample) -> Status {
    const std::vector<Ranked> top = top_k(sample.scores, options.top);
    TESSERA_RETURN_IF_ERROR(writer.write({sample.name, sample.status, sample.scores, top}));
    return (sample.index + 1) % batch == 0 ? writer.flush() : Status();
  });
}

Result<int> classify(const ClassifyOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(StreamingRun run,
                           prepare_streaming_run(options.streaming, options.inputs));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<RowWriter> writer, make_writer(options, run));
  if (!options.streaming.quiet) print_note(run.header);
  const StreamingOutcome outcome = write_rows(run, options, *writer);
  RunTotals totals;
  totals.images = outcome.stats.samples;
  totals.failed = outcome.stats.failed;
  totals.seconds = outcome.stats.wall_seconds;
  totals.complete = outcome.status.ok() && !outcome.interrupted;
  // A run that was refused before its first row leaves the output file as it was.
  if (!outcome.status.ok() && totals.images == 0) return outcome.status;
  const Status finished = writer->finish(totals);
  TESSERA_RETURN_IF_ERROR(outcome.status);
  TESSERA_RETURN_IF_ERROR(finished);
  if (options.streaming.stats) print_note(stats_text(outcome.stats));
  if (!options.streaming.quiet) print_note(summary_line(outcome));
  return outcome_exit_code(outcome);
}

}  // namespace

int run_classify(int argc, const char* const* argv) {
  CLI::App app("Classifies pictures and tensors with an ONNX model.", "infer");
  ClassifyOptions options;
  add_options(app, options);
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  const Result<int> result = classify(options);
  return result.ok() ? *result : report_error(result.status());
}

}  // namespace tessera::cli
