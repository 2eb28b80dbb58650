// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/streaming_run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "core/one_line.h"
#include "engine/graph/printable.h"
#include "engine/model/input_shapes.h"
#include "tools/infer/choice_text.h"
#include "tools/infer/console.h"
#include "tools/infer/device_name.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/interrupt.h"
#include "tools/infer/plan_files.h"
#include "tools/infer/progress.h"

namespace tessera::cli {

void add_streaming_options(CLI::App& app, StreamingOptions& options) {
  add_execution_options(app, options.execution);
  add_shape_options(app, options.shapes);
  add_preprocess_options(app, options.preprocess);
  app.add_option("--labels", options.labels, "file with one label a line");
  app.add_option("--threads", options.threads, "decode workers; 0: one per hardware thread")
      ->check(integer_from(0))
      ->capture_default_str();
  app.add_flag("--recursive", options.recursive, "look into folders of folders");
  app.add_flag("--stats", options.stats, "seconds of each stage, on stderr");
  app.add_flag("--json", options.json, "results as one JSON document on stdout");
  app.add_flag("--quiet", options.quiet, "no header, progress or summary");
}

size_t StreamingRun::size() const {
  size_t total = 0;
  for (const auto& source : sources) total += source->size();
  return total;
}

std::string StreamingRun::device_name() const { return describe_device(device.device->info()); }

namespace {

bool takes_pictures(const StreamingRun& run) {
  return std::any_of(run.sources.begin(), run.sources.end(),
                     [](const auto& source) { return source->kind() == SampleKind::kPixels; });
}

Status load_card(const StreamingOptions& options, StreamingRun& run) {
  Result<ModelCard> card = load_model_card(*run.model);
  if (card.ok()) {
    run.card = std::move(card).value();
  } else if (takes_pictures(run) || card.status().code() != StatusCode::kUnsupported) {
    return card.status();  // a network that takes no pictures can still be given tensors
  }
  run.labels_source = run.card.labels.empty() ? "none" : run.card.source;
  if (!options.labels.empty()) {
    TESSERA_ASSIGN_OR_RETURN(run.card.labels, load_labels(options.labels));
    run.labels_source = options.labels;
  }
  TESSERA_RETURN_IF_ERROR(apply_preprocess_options(options.preprocess, run.card.preprocess));
  const auto& outputs = run.model->outputs();
  const auto count = static_cast<int64_t>(run.card.labels.size());
  if (count == 0 || outputs.empty() || outputs[0].extents.size() != 2) return {};
  const int64_t classes = outputs[0].extents[1];
  if (classes < 0 || classes == count) return {};
  return invalid_argument(fmt::format("{}: {} labels, but the model has {} classes",
                                      run.labels_source, count, classes));
}

// The height and width that --shapes gives to an input which leaves them open.
Status choose_picture_size(const Model& model, const ChosenShapes& chosen, Preprocess& preprocess) {
  if (chosen.symbols.empty() || model.inputs().empty()) return {};
  TESSERA_ASSIGN_OR_RETURN(const InputShapes shapes,
                           resolve_input_shapes(model, chosen.batch, chosen.symbols));
  const Shape& shape = shapes.shapes[0];
  if (shape.rank() != 4) return {};
  preprocess.height = shape[preprocess.nhwc ? 1 : 2];
  preprocess.width = shape[preprocess.nhwc ? 2 : 3];
  return {};
}

// A batch larger than what there is to classify would only take memory.
int64_t largest_source(const std::vector<std::unique_ptr<InputSource>>& sources) {
  size_t largest = 1;
  for (const auto& source : sources) largest = std::max(largest, source->size());
  return static_cast<int64_t>(largest);
}

// The pipeline chooses the batch itself: a last, smaller one must not be overruled.
std::map<std::string, int64_t> symbols_beside_the_batch(const Model& model,
                                                        const ChosenShapes& chosen) {
  std::map<std::string, int64_t> symbols = chosen.symbols;
  if (model.inputs().empty() || model.inputs()[0].symbols.empty()) return symbols;
  const std::string& batch = model.inputs()[0].symbols[0];
  symbols.erase(batch.empty() ? model.inputs()[0].name + ":0" : batch);
  return symbols;
}

std::string make_header(const StreamingRun& run, const CompileOptions& compile) {
  const Preprocess& preprocess = run.card.preprocess;
  const bool graph = compile.use_graph && run.device.device->supports_graphs();
  const std::string origin = preprocess.preset.empty() ? run.card.source : preprocess.preset;
  return fmt::format(
      "infer: {} | {} | {} | batch {} | graph {} | kernels: {} | {} | labels: {} | scores: "
      "model output",
      escape_name(run.model->path()), run.device_name(), run.pipeline->report().precision,
      run.pipeline->batch(), graph ? "on" : "off", describe_choice(run.pipeline->report()),
      takes_pictures(run) ? fmt::format("{} ({})", preprocess.to_string(), origin)
                          : "tensors taken as they are",
      escape_name(run.labels_source));
}

}  // namespace

Result<StreamingRun> prepare_streaming_run(const StreamingOptions& options,
                                           const std::vector<std::string>& inputs) {
  StreamingRun run;
  TESSERA_ASSIGN_OR_RETURN(const CompileOptions compile, to_compile_options(options.execution));
  TESSERA_ASSIGN_OR_RETURN(run.model, Model::load(options.model));
  Result sources = open_inputs(inputs, {.recursive = options.recursive});
  if (!sources.ok()) return as_input_error(sources.status());
  run.sources = std::move(sources).value();
  TESSERA_RETURN_IF_ERROR(load_card(options, run));
  TESSERA_ASSIGN_OR_RETURN(const ChosenShapes chosen, choose_shapes(*run.model, options.shapes));
  TESSERA_RETURN_IF_ERROR(choose_picture_size(*run.model, chosen, run.card.preprocess));
  TESSERA_ASSIGN_OR_RETURN(run.device, open_device(options.execution.device));
  PipelineOptions pipeline;
  pipeline.batch = std::min(chosen.batch, largest_source(run.sources));
  pipeline.symbols = symbols_beside_the_batch(*run.model, chosen);
  pipeline.decode_threads = options.threads;
  pipeline.preprocess = run.card.preprocess;
  pipeline.compile = compile;
  pipeline.cancel = &interrupted();
  TESSERA_ASSIGN_OR_RETURN(run.pipeline, Pipeline::create(run.model, run.device, pipeline));
  std::vector<std::string> read = files_of_model(options.model);
  read.insert(read.end(), inputs.begin(), inputs.end());
  read.push_back(options.labels);
  TESSERA_RETURN_IF_ERROR(refuse_to_overwrite("--save-plan", options.execution.save_plan, read));
  TESSERA_RETURN_IF_ERROR(
      save_plan_if_asked(options.execution, run.pipeline->report(), run.device));
  run.header = make_header(run, compile);
  return run;
}

namespace {

void add_stats(PipelineStats& total, const PipelineStats& part) {
  total.samples += part.samples;
  total.failed += part.failed;
  total.batches += part.batches;
  total.wall_seconds += part.wall_seconds;
  total.decode_seconds += part.decode_seconds;
  total.copy_in_seconds += part.copy_in_seconds;
  total.compute_seconds += part.compute_seconds;
  total.copy_out_seconds += part.copy_out_seconds;
  total.write_seconds += part.write_seconds;
}

void report_sample(const SampleResult& sample) {
  const std::string& message = sample.status.message();
  const bool named = message.find(in_one_line(sample.name)) != std::string::npos;
  print_problem((named ? sample.status : sample.status.with_context(sample.name)).message());
}

SampleResult checked_scores(SampleResult sample) {
  const bool has_nan = std::any_of(sample.scores.begin(), sample.scores.end(),
                                   [](float score) { return std::isnan(score); });
  if (sample.status.ok() && has_nan) {
    sample.status = internal_error(sample.name + ": the network's scores hold a NaN");
    sample.scores = {};
  }
  return sample;
}

}  // namespace

StreamingOutcome stream_samples(StreamingRun& run, bool show_progress,
                                const std::function<Status(const SampleResult&)>& sink) {
  defer_interrupts();
  StreamingOutcome outcome;
  Progress progress(run.size(), show_progress);
  size_t done = 0;
  size_t failed = 0;
  for (const auto& source : run.sources) {
    if (interrupted()) break;
    const Result<PipelineStats> stats =
        run.pipeline->run(*source, [&](const SampleResult& result) -> Status {
          SampleResult sample = checked_scores(result);
          sample.index = done++;
          if (!sample.status.ok()) {
            ++failed;
            progress.clear();
            report_sample(sample);
          }
          progress.update(done);
          return sink(sample);
        });
    if (!stats.ok()) {
      outcome.status = stats.status();
      break;
    }
    add_stats(outcome.stats, *stats);
  }
  outcome.stats.samples = done;
  outcome.stats.failed = failed;
  outcome.interrupted = interrupted();
  return outcome;
}

std::string summary_line(const StreamingOutcome& outcome) {
  const PipelineStats& stats = outcome.stats;
  const double rate =
      stats.wall_seconds > 0 ? static_cast<double>(stats.samples) / stats.wall_seconds : 0.0;
  return fmt::format(
      "infer: {} images, {} failed, {:.3f} s, {:.0f} images/s (decoding, copies, compute and "
      "writing; loading the model is not in it){}",
      stats.samples, stats.failed, stats.wall_seconds, rate,
      outcome.interrupted ? "; interrupted" : "");
}

std::string stats_text(const PipelineStats& stats) {
  Table table({{"stage", Table::Align::kLeft}, {"seconds", Table::Align::kRight}});
  const std::pair<const char*, double> rows[] = {
      {"decode", stats.decode_seconds},     {"copy in", stats.copy_in_seconds},
      {"compute", stats.compute_seconds},   {"copy out", stats.copy_out_seconds},
      {"write", stats.write_seconds},       {"sum", stats.sum_seconds()},
      {"longest", stats.longest_seconds()}, {"wall", stats.wall_seconds}};
  for (const auto& [name, seconds] : rows) table.add({name, fmt::format("{:.6f}", seconds)});
  return table.to_string(true) +
         fmt::format("bound by {}; {} batches", stats.bound_by(), stats.batches);
}

int outcome_exit_code(const StreamingOutcome& outcome) {
  if (outcome.interrupted) return kExitInterrupted;
  return outcome.stats.failed > 0 ? kExitFailed : kExitOk;
}

}  // namespace tessera::cli
