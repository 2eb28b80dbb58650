// SPDX-License-Identifier: Apache-2.0
// infer eval MODEL IMAGES LABELS
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "engine/graph/printable.h"
#include "tools/infer/commands.h"
#include "tools/infer/confusion.h"
#include "tools/infer/console.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/json.h"
#include "tools/infer/ranking.h"
#include "tools/infer/streaming_run.h"

namespace tessera::cli {
namespace {

struct EvalOptions {
  StreamingOptions streaming;
  std::string images;
  std::string labels;
};

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// The label of every sample, in order. kInvalidArgument when pictures and labels do not match one
// to one.
Result<std::vector<int64_t>> match_labels(const StreamingRun& run, const LabelSet& set,
                                          const EvalOptions& options) {
  const size_t count = set.by_index.size() + set.by_name.size();
  if (count != run.size()) {
    return invalid_argument(fmt::format("{} holds {} images, but {} holds {} labels",
                                        options.images, run.size(), options.labels, count));
  }
  if (set.by_name.empty()) return set.by_index;
  std::map<std::string, int64_t> by_name(set.by_name.begin(), set.by_name.end());
  std::vector<int64_t> labels;
  for (const auto& source : run.sources) {
    for (size_t i = 0; i < source->size(); ++i) {
      const auto found = by_name.find(base_name(source->name(i)));
      if (found == by_name.end()) {
        return invalid_argument(
            fmt::format("{}: has no label for {}", options.labels, source->name(i)));
      }
      labels.push_back(found->second);
    }
  }
  return labels;
}

// Streams the pictures and counts. `confusion` gets its size with the first scores.
StreamingOutcome count_predictions(StreamingRun& run, const std::vector<int64_t>& labels,
                                   bool show_progress, std::optional<Confusion>& confusion) {
  return stream_samples(run, show_progress, [&](const SampleResult& sample) -> Status {
    if (!sample.status.ok()) return {};
    if (!confusion) confusion.emplace(sample.scores.size());
    const int64_t label = labels[sample.index];
    if (label < 0 || static_cast<size_t>(label) >= confusion->classes()) {
      return invalid_argument(fmt::format("label {} of {} is not among the model's {} classes",
                                          label, sample.name, confusion->classes()));
    }
    confusion->add(label, top_k(sample.scores, 1)[0].index);
    return {};
  });
}

double accuracy(const Confusion& confusion, const StreamingOutcome& outcome) {
  return static_cast<double>(confusion.correct()) / static_cast<double>(outcome.stats.samples);
}

Json to_json(const StreamingRun& run, const Confusion& confusion, const StreamingOutcome& outcome) {
  Json json;
  json["model"] = escape_name(run.model->path());
  json["device"] = run.device_name();
  json["accuracy"] = accuracy(confusion, outcome);
  json["correct"] = confusion.correct();
  json["images"] = outcome.stats.samples;
  json["failed"] = outcome.stats.failed;
  json["seconds"] = outcome.stats.wall_seconds;
  json["complete"] = !outcome.interrupted;
  json["labels"] = Json::array();
  json["confusion"] = Json::array();
  json["classes"] = Json::array();
  const auto classes = static_cast<int64_t>(confusion.classes());
  for (int64_t c = 0; c < classes; ++c) {
    const std::string label = label_of(run.card.labels, c);
    json["labels"].push_back(label);
    Json row = Json::array();
    for (int64_t p = 0; p < classes; ++p) row.push_back(confusion.count(c, p));
    json["confusion"].push_back(row);
    json["classes"].push_back({{"label", label},
                               {"images", confusion.labelled(c)},
                               {"precision", confusion.precision(c)},
                               {"recall", confusion.recall(c)}});
  }
  return json;
}

std::string ratio(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }

std::string to_text(const StreamingRun& run, const Confusion& confusion,
                    const StreamingOutcome& outcome) {
  constexpr auto kRight = Table::Align::kRight;
  const auto classes = static_cast<int64_t>(confusion.classes());
  std::vector<Table::Column> columns = {{"label", Table::Align::kLeft}};
  for (int64_t c = 0; c < classes; ++c) columns.push_back({std::to_string(c), kRight});
  Table matrix(columns);
  Table per_class({{"class", kRight},
                   {"label", Table::Align::kLeft},
                   {"images", kRight},
                   {"precision", kRight},
                   {"recall", kRight}});
  for (int64_t c = 0; c < classes; ++c) {
    const std::string label = label_of(run.card.labels, c);
    per_class.add({std::to_string(c), label, std::to_string(confusion.labelled(c)),
                   ratio(confusion.precision(c)), ratio(confusion.recall(c))});
    std::vector<std::string> cells = {label};
    for (int64_t p = 0; p < classes; ++p) cells.push_back(std::to_string(confusion.count(c, p)));
    matrix.add(cells);
  }
  const bool aligned = stdout_is_terminal();
  return fmt::format(
      "accuracy {:.4f} ({} of {} images, {} failed)\n\n{}\n"
      "confusion (rows: label, columns: predicted class)\n{}",
      accuracy(confusion, outcome), confusion.correct(), outcome.stats.samples,
      outcome.stats.failed, per_class.to_string(aligned), matrix.to_string(aligned));
}

Result<int> evaluate(const EvalOptions& options) {
  const Result set = load_label_set(options.labels);
  if (!set.ok()) return as_input_error(set.status());
  TESSERA_ASSIGN_OR_RETURN(StreamingRun run,
                           prepare_streaming_run(options.streaming, {options.images}));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> labels, match_labels(run, *set, options));
  if (!options.streaming.quiet) print_note(run.header);
  std::optional<Confusion> confusion;
  const bool bar = stderr_is_terminal() && !options.streaming.quiet;
  const StreamingOutcome outcome = count_predictions(run, labels, bar, confusion);
  TESSERA_RETURN_IF_ERROR(outcome.status);
  if (options.streaming.stats) print_note(stats_text(outcome.stats));
  if (!options.streaming.quiet) print_note(summary_line(outcome));
  if (!confusion) {
    if (outcome.interrupted) return static_cast<int>(kExitInterrupted);
    return io_error("no image could be classified, so there is no accuracy");
  }
  TESSERA_RETURN_IF_ERROR(options.streaming.json ? print_json(to_json(run, *confusion, outcome))
                                                 : print_output(to_text(run, *confusion, outcome)));
  return outcome_exit_code(outcome);
}

}  // namespace

int run_eval(int argc, const char* const* argv) {
  CLI::App app("Accuracy of a model on labelled pictures.", "eval");
  EvalOptions options;
  app.add_option("MODEL", options.streaming.model, "ONNX file")->required();
  app.add_option("IMAGES", options.images, "IDX file (.gz too), folder, .npy or .pb")->required();
  app.add_option("LABELS", options.labels,
                 "IDX file (.gz too), .npy, text with one integer a line, or .csv with name,label")
      ->required();
  add_streaming_options(app, options.streaming);
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  const Result<int> result = evaluate(options);
  return result.ok() ? *result : report_error(result.status());
}

}  // namespace tessera::cli
