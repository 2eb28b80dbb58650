// SPDX-License-Identifier: Apache-2.0
// infer bench MODEL
#include <fmt/format.h>

#include "engine/plan/atomic_file.h"
#include "tools/infer/choice_text.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/device_name.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/json.h"
#include "tools/infer/model_bench.h"
#include "tools/infer/options.h"
#include "tools/infer/plan_files.h"
#include "tools/infer/random_inputs.h"

namespace tessera::cli {
namespace {

struct BenchOptions {
  std::string model;
  ExecutionOptions execution;
  ShapeOptions shapes;
  std::string batches = "1,8,64";
  BenchLimits limits;
  int64_t warm_up_milliseconds = 200;
  bool dump_profile = false;
  bool json = false;
  std::string export_path;  // the JSON too
};

// What one batch size gave.
struct BatchReport {
  int64_t batch = 0;
  BatchTiming timing;
  PlanReport plan;
  std::vector<StepTiming> profile;  // empty unless asked for
};

struct BenchReport {
  std::string model;
  DeviceInfo device;
  bool has_copies = false;
  BenchLimits limits;
  std::vector<std::string> notes;
  std::vector<BatchReport> batches;
};

Result<BatchReport> bench_batch(const std::shared_ptr<const Model>& model, const OpenDevice& device,
                                const InputShapes& shapes, const BenchOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const CompileOptions compile, to_compile_options(options.execution));
  TESSERA_ASSIGN_OR_RETURN(const auto compiled,
                           CompiledModel::compile(model, device, shapes.shapes, compile));
  TESSERA_RETURN_IF_ERROR(save_plan_if_asked(options.execution, compiled->report(), device));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs, random_inputs(*model, shapes));
  BatchReport report;
  report.batch = shapes.batch;
  report.plan = compiled->report();
  TESSERA_ASSIGN_OR_RETURN(report.timing, time_batch(*compiled, device, inputs, options.limits));
  if (options.dump_profile) {
    TESSERA_ASSIGN_OR_RETURN(report.profile, time_steps(*compiled, device, inputs));
  }
  return report;
}

Result<BenchReport> bench(const BenchOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> batches,
                           parse_extents("--batch", options.batches, ','));
  const std::string& plan = options.execution.save_plan;
  if (!plan.empty() && batches.size() > 1) {
    return invalid_argument(
        fmt::format("--save-plan {}: a plan is for one batch size; give one with --batch", plan));
  }
  const std::vector<std::string> read = files_of_model(options.model);
  TESSERA_RETURN_IF_ERROR(refuse_to_overwrite("--save-plan", plan, read));
  TESSERA_RETURN_IF_ERROR(refuse_to_overwrite("--export-profile", options.export_path, read));
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, Model::load(options.model));
  TESSERA_ASSIGN_OR_RETURN(const OpenDevice device, open_device(options.execution.device));
  BenchReport report;
  report.model = model->path();
  report.device = device.device->info();
  report.has_copies = !device.device->shares_host_memory();
  report.limits = options.limits;
  for (const int64_t batch : batches) {
    ShapeOptions wanted = options.shapes;
    wanted.batch = batch;
    TESSERA_ASSIGN_OR_RETURN(const ChosenShapes chosen, choose_shapes(*model, wanted));
    TESSERA_ASSIGN_OR_RETURN(const InputShapes shapes,
                             resolve_input_shapes(*model, chosen.batch, chosen.symbols));
    report.notes = shapes.notes;
    // Of a model that fixes its batch there is one.
    if (!report.batches.empty() && report.batches.back().batch == shapes.batch) continue;
    TESSERA_ASSIGN_OR_RETURN(BatchReport measured, bench_batch(model, device, shapes, options));
    report.batches.push_back(std::move(measured));
  }
  return report;
}

double per_second(int64_t batch, double microseconds) {
  constexpr double kMicro = 1e6;
  return microseconds > 0 ? static_cast<double>(batch) * kMicro / microseconds : 0;
}

Json to_json(const SampleStatistics& us) {
  return {{"samples", us.count}, {"min_us", us.min}, {"mean_us", us.mean}, {"median_us", us.median},
          {"p90_us", us.p90},    {"p95_us", us.p95}, {"p99_us", us.p99}};
}

Json to_json(const std::optional<SampleStatistics>& us) { return us ? to_json(*us) : Json(); }

Json to_json(const StepTiming& timing) {
  const StepReport& step = timing.step;
  return {{"name", step.name},
          {"problem", step.problem},
          {"kernel", step.kernel},
          {"us", timing.microseconds},
          {"flops", step.flops},
          {"bytes", step.bytes},
          {"roof_us", step.roof_us ? Json(*step.roof_us) : Json()}};
}

Json to_json(const BatchReport& report) {
  const BatchTiming& timing = report.timing;
  Json json = {
      {"batch", report.batch},
      {"host_to_host", to_json(timing.host_to_host)},
      {"host_to_host_samples_per_second", per_second(report.batch, timing.host_to_host.mean)},
      {"device_only", to_json(timing.device_only)},
      {"device_only_samples_per_second", per_second(report.batch, timing.device_only.mean)},
      {"copy_in", to_json(timing.copy_in)},
      {"enqueue", to_json(timing.enqueue)},
      {"copy_out", to_json(timing.copy_out)},
      {"graph", report.plan.uses_graph},
      {"kernels", describe_choice(report.plan)}};
  if (report.profile.empty()) return json;
  json["profile"] = Json::array();
  for (const StepTiming& step : report.profile) json["profile"].push_back(to_json(step));
  return json;
}

Json to_json(const BenchReport& report) {
  Json json = {{"model", report.model},
               {"device", describe_device(report.device)},
               {"driver", report.device.driver_version},
               {"runtime", report.device.runtime_version},
               {"precision", report.batches.front().plan.precision},
               {"duration_s", report.limits.seconds},
               {"iterations", report.limits.iterations},
               {"notes", report.notes},
               {"batches", Json::array()}};
  for (const BatchReport& batch : report.batches) json["batches"].push_back(to_json(batch));
  return json;
}

std::string header(const BenchReport& report) {
  const PlanReport& plan = report.batches.front().plan;
  return fmt::format(
      "infer: {} | {} | {} | graph {} | kernels: {} | one run in flight, random input | "
      "host to host: {}; device only: the network, runs back to back",
      report.model, describe_device(report.device), plan.precision, plan.uses_graph ? "on" : "off",
      describe_choice(plan),
      report.has_copies ? "copy in, network, copy out and the wait, from pinned memory"
                        : "the network, which reads the host's memory: nothing is copied");
}

std::string batches_text(const BenchReport& report) {
  constexpr auto kRight = Table::Align::kRight;
  Table table({{"batch", kRight},
               {"figure"},
               {"min us", kRight},
               {"median us", kRight},
               {"p90 us", kRight},
               {"p95 us", kRight},
               {"p99 us", kRight},
               {"samples/s", kRight}});
  const auto add = [&](int64_t batch, const char* figure, const std::optional<SampleStatistics>& us,
                       bool has_rate) {
    const auto cell = [&](double value) { return us ? fmt::format("{:.2f}", value) : "-"; };
    const SampleStatistics statistics = us.value_or(SampleStatistics{});
    table.add({std::to_string(batch), figure, cell(statistics.min), cell(statistics.median),
               cell(statistics.p90), cell(statistics.p95), cell(statistics.p99),
               has_rate ? fmt::format("{:.0f}", per_second(batch, statistics.mean)) : "-"});
  };
  for (const BatchReport& batch : report.batches) {
    const BatchTiming& timing = batch.timing;
    add(batch.batch, "host to host", timing.host_to_host, true);
    add(batch.batch, "device only", timing.device_only, true);
    add(batch.batch, "copy in", timing.copy_in, false);
    add(batch.batch, "enqueue", timing.enqueue, false);
    add(batch.batch, "copy out", timing.copy_out, false);
  }
  return table.to_string(stdout_is_terminal());
}

std::string profile_text(const BatchReport& report) {
  constexpr auto kRight = Table::Align::kRight;
  constexpr double kMega = 1e6;
  Table table({{"layer"},
               {"kernel"},
               {"us", kRight},
               {"%", kRight},
               {"MFLOP", kRight},
               {"MB", kRight},
               {"roof %", kRight}});
  double sum = 0;
  for (const StepTiming& step : report.profile) sum += step.microseconds;
  for (const StepTiming& timing : report.profile) {
    const StepReport& step = timing.step;
    table.add(
        {step.name, step.kernel, fmt::format("{:.2f}", timing.microseconds),
         fmt::format("{:.1f}", 100 * timing.microseconds / sum),
         fmt::format("{:.3f}", step.flops / kMega), fmt::format("{:.3f}", step.bytes / kMega),
         step.roof_us ? fmt::format("{:.1f}", 100 * *step.roof_us / timing.microseconds) : "-"});
  }
  return fmt::format(
      "\nlayers at batch {}, each alone with warm caches: {:.2f} us together; the network {:.2f} "
      "us\n{}",
      report.batch, sum, report.timing.device_only.median, table.to_string(stdout_is_terminal()));
}

std::string report_text(const BenchReport& report) {
  std::string text = batches_text(report);
  for (const BatchReport& batch : report.batches) {
    if (!batch.profile.empty()) text += profile_text(batch);
  }
  return text;
}

Status run(const BenchOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const BenchReport report, bench(options));
  for (const std::string& note : report.notes) print_note("infer: " + note);
  print_note(header(report));
  if (!options.export_path.empty()) {
    TESSERA_RETURN_IF_ERROR(
        write_file_atomically(options.export_path, to_text(to_json(report), 1) + '\n'));
  }
  return options.json ? print_json(to_json(report)) : print_output(report_text(report));
}

}  // namespace

int run_bench(int argc, const char* const* argv) {
  CLI::App app("Latency and throughput of a model.", "bench");
  BenchOptions options;
  app.add_option("MODEL", options.model, "ONNX file")->required();
  add_execution_options(app, options.execution);
  add_model_shape_option(app, options.shapes);
  app.add_option("--batch", options.batches, "batch sizes, such as 1,8,64")->capture_default_str();
  app.add_option("--iterations", options.limits.iterations, "runs at least, of each measurement")
      ->check(integer_from(1))
      ->capture_default_str();
  app.add_option("--duration", options.limits.seconds, "seconds at least, of each measurement")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--warm-up,--warmUp", options.warm_up_milliseconds, "milliseconds before them")
      ->check(integer_from(0))
      ->capture_default_str();
  app.add_flag("--dump-profile,--dumpProfile", options.dump_profile,
               "time of each layer, with FLOPs, bytes and % of the roof");
  app.add_option("--export-profile,--exportProfile", options.export_path,
                 "write the JSON document to this file too");
  app.add_flag("--json", options.json, "one JSON document on stdout");
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  options.limits.warm_up_seconds = static_cast<double>(options.warm_up_milliseconds) / 1e3;
  options.dump_profile |= !options.export_path.empty();
  const Status status = run(options);
  return status.ok() ? kExitOk : report_error(status);
}

}  // namespace tessera::cli
