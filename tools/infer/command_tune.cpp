// SPDX-License-Identifier: Apache-2.0
// infer tune MODEL
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/model/input_shapes.h"
#include "engine/tune/tune.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/device_name.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/interrupt.h"
#include "tools/infer/json.h"
#include "tools/infer/options.h"
#include "tools/infer/plan_files.h"
#include "tools/infer/progress.h"

namespace tessera::cli {
namespace {

struct TuneCommandOptions {
  std::string model;
  ExecutionOptions execution;
  ShapeOptions shapes;
  double time_limit = 0;
  bool all = false;
  bool json = false;
};

struct TuneRun {
  OpenDevice device;
  InputShapes shapes;
  TuneResult result;
};

Result<TuneRun> run(const TuneCommandOptions& options) {
  TuneRun run;
  TuneOptions tuning;
  TESSERA_ASSIGN_OR_RETURN(tuning.compile, to_compile_options(options.execution));
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, Model::load(options.model));
  TESSERA_RETURN_IF_ERROR(refuse_to_overwrite("--save-plan", options.execution.save_plan,
                                              files_of_model(options.model)));
  TESSERA_ASSIGN_OR_RETURN(const ChosenShapes chosen, choose_shapes(*model, options.shapes));
  TESSERA_ASSIGN_OR_RETURN(run.shapes, resolve_input_shapes(*model, chosen.batch, chosen.symbols));
  TESSERA_ASSIGN_OR_RETURN(run.device, open_device(options.execution.device));
  auto cache = std::make_shared<TimingCache>();
  if (!options.execution.timing_cache.empty()) {
    TESSERA_ASSIGN_OR_RETURN(cache, open_timing_cache(options.execution.timing_cache));
  }
  for (const std::string& note : run.shapes.notes) print_note("infer: " + note);
  std::optional<Progress> progress;
  tuning.limit_seconds = options.time_limit;
  tuning.cancel = &interrupted();
  tuning.progress = [&, total_shown = size_t{0}](size_t done, size_t total) mutable {
    // A bar keeps its total: another layout can bring new problems.
    if (total != total_shown) progress.emplace(total_shown = total, stderr_is_terminal());
    progress->update(done);
  };
  defer_interrupts();
  TESSERA_ASSIGN_OR_RETURN(run.result, tune(model, run.device, run.shapes.shapes, cache, tuning));
  progress.reset();
  TESSERA_RETURN_IF_ERROR(save_plan_if_asked(options.execution, run.result.report, run.device));
  return run;
}

// A number that JSON has, or null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const TuneCandidate& candidate, const StepReport& step) {
  Json json = {{"kernel", candidate.kernel}, {"chosen", candidate.kernel == step.kernel}};
  json["microseconds"] =
      candidate.measurement ? Json(candidate.measurement->microseconds) : Json(nullptr);
  json["error"] = candidate.measurement ? number(candidate.measurement->error) : Json(nullptr);
  json["correct"] =
      candidate.measurement ? Json(candidate.measurement->is_correct()) : Json(nullptr);
  json["roof_fraction"] = candidate.roof_fraction ? Json(*candidate.roof_fraction) : Json(nullptr);
  json["reason"] = candidate.reason;
  return json;
}

Json to_json(const TuneRun& run, const std::string& model) {
  Json json = {{"model", model},
               {"device", describe_device(run.device.device->info())},
               {"precision", run.result.report.precision},
               {"batch", run.result.report.batch},
               {"measured", run.result.measured},
               {"known", run.result.known},
               {"remaining", run.result.remaining},
               {"layers", Json::array()}};
  for (const TuneLayer& layer : run.result.layers) {
    Json candidates = Json::array();
    for (const TuneCandidate& candidate : layer.candidates) {
      candidates.push_back(to_json(candidate, layer.step));
    }
    json["layers"].push_back({{"name", layer.step.name},
                              {"problem", layer.step.choice_key},
                              {"kernel", layer.step.kernel},
                              {"reason", layer.step.reason},
                              {"candidates", candidates}});
  }
  return json;
}

std::string percent(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:.1f}", 100 * *fraction) : "-";
}

std::string to_text(const TuneRun& run, bool all) {
  constexpr auto kRight = Table::Align::kRight;
  Table table({{"layer"},
               {"kernel"},
               {"", Table::Align::kLeft},
               {"us", kRight},
               {"error/tolerance", kRight},
               {"% of roof", kRight},
               {"note"}});
  for (const TuneLayer& layer : run.result.layers) {
    for (const TuneCandidate& candidate : layer.candidates) {
      const bool is_chosen = candidate.kernel == layer.step.kernel;
      const auto& measured = candidate.measurement;
      if (candidate.reason.starts_with("refused") && !all && !is_chosen) continue;
      std::string note = candidate.reason;
      if (measured && !measured->is_correct()) note = "WRONG RESULT, never chosen";
      if (!measured && note.empty()) note = "not measured";
      table.add({layer.step.name, candidate.kernel, is_chosen ? "*" : "",
                 measured ? fmt::format("{:.2f}", measured->microseconds) : "-",
                 measured ? fmt::format("{:.3g}", measured->error) : "-",
                 percent(candidate.roof_fraction), note});
    }
  }
  return table.to_string(stdout_is_terminal());
}

std::string header(const TuneRun& run, const TuneCommandOptions& options) {
  return fmt::format(
      "infer: tune {} | {} | {} | batch {} | median, caches cold; copies, launches by the host and "
      "reorders between layers are not in a kernel's time | {} measured, {} known{}",
      options.model, describe_device(run.device.device->info()), run.result.report.precision,
      run.result.report.batch, run.result.measured, run.result.known,
      run.result.remaining == 0 ? "" : fmt::format(", {} not measured", run.result.remaining));
}

void report_wrong_results(const TuneRun& run) {
  for (const TuneLayer& layer : run.result.layers) {
    for (const TuneCandidate& candidate : layer.candidates) {
      if (!candidate.measurement || candidate.measurement->is_correct()) continue;
      print_problem(
          fmt::format("layer {}: {} gives a wrong result: its error is {:.3g} times the "
                      "tolerance; it is not chosen by its time",
                      layer.step.name, candidate.kernel, candidate.measurement->error));
    }
  }
}

Result<int> tune_model(const TuneCommandOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const TuneRun done, run(options));
  print_note(header(done, options));
  report_wrong_results(done);
  TESSERA_RETURN_IF_ERROR(options.json ? print_json(to_json(done, options.model))
                                       : print_output(to_text(done, options.all)));
  if (done.result.remaining > 0) {
    print_note(options.execution.timing_cache.empty()
                   ? "infer: not everything was measured; with --timing-cache FILE the next run "
                     "goes on from here"
                   : "infer: not everything was measured; the same command goes on from here");
  }
  return static_cast<int>(interrupted() ? kExitInterrupted : kExitOk);
}

}  // namespace

int run_tune(int argc, const char* const* argv) {
  CLI::App app("Measures every kernel that can run a layer, for each layer of a model.", "tune");
  TuneCommandOptions options;
  app.add_option("MODEL", options.model, "ONNX file")->required();
  add_execution_options(app, options.execution);
  app.remove_option(app.get_option("--load-plan"));  // the measurements decide
  add_shape_options(app, options.shapes);
  app.add_option("--time-limit", options.time_limit, "seconds after which nothing more is measured")
      ->check(CLI::PositiveNumber);
  app.add_flag("--all", options.all, "kernels that refuse a layer too, with their reasons");
  app.add_flag("--json", options.json, "one JSON document on stdout");
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  const Result<int> result = tune_model(options);
  return result.ok() ? *result : report_error(result.status());
}

}  // namespace tessera::cli
