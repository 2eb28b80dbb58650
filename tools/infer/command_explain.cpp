// SPDX-License-Identifier: Apache-2.0
// infer explain MODEL
#include <fmt/format.h>

#include "engine/graph/graph.h"
#include "engine/graph/printable.h"
#include "engine/model/input_shapes.h"
#include "tools/infer/choice_text.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/device_name.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/json.h"
#include "tools/infer/options.h"
#include "tools/infer/plan_files.h"

namespace tessera::cli {
namespace {

struct ExplainOptions {
  std::string model;
  ExecutionOptions execution;
  ShapeOptions shapes;
  bool json = false;
};

struct Explanation {
  std::shared_ptr<const Model> model;
  OpenDevice device;
  InputShapes shapes;
  std::shared_ptr<const CompiledModel> compiled;
};

Result<Explanation> compile_model(const ExplainOptions& options) {
  Explanation result;
  TESSERA_ASSIGN_OR_RETURN(const CompileOptions compile, to_compile_options(options.execution));
  TESSERA_ASSIGN_OR_RETURN(result.model, Model::load(options.model));
  TESSERA_ASSIGN_OR_RETURN(const ChosenShapes chosen, choose_shapes(*result.model, options.shapes));
  TESSERA_ASSIGN_OR_RETURN(result.shapes,
                           resolve_input_shapes(*result.model, chosen.batch, chosen.symbols));
  TESSERA_ASSIGN_OR_RETURN(result.device, open_device(options.execution.device));
  TESSERA_ASSIGN_OR_RETURN(result.compiled, CompiledModel::compile(result.model, result.device,
                                                                   result.shapes.shapes, compile));
  TESSERA_RETURN_IF_ERROR(refuse_to_overwrite("--save-plan", options.execution.save_plan,
                                              files_of_model(options.model)));
  TESSERA_RETURN_IF_ERROR(
      save_plan_if_asked(options.execution, result.compiled->report(), result.device));
  return result;
}

// "input float32 (batch, 1, 28, 28)"
std::string describe_value(const ValueInfo& value) {
  std::string extents;
  for (size_t i = 0; i < value.extents.size(); ++i) {
    const bool is_named = value.extents[i] < 0 && !value.symbols[i].empty();
    if (i > 0) extents += ", ";
    if (is_named) {
      extents += value.symbols[i];
    } else {
      extents += value.extents[i] < 0 ? "?" : std::to_string(value.extents[i]);
    }
  }
  return fmt::format("{} {} ({})", value.name, dtype_name(value.dtype), extents);
}

std::vector<std::string> describe_values(const std::vector<ValueInfo>& values) {
  std::vector<std::string> lines;
  for (const ValueInfo& value : values) lines.push_back(describe_value(value));
  return lines;
}

Json optional(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json step_to_json(const StepReport& step) {
  Json refused = Json::array();
  for (const auto& [kernel, reason] : step.refused) {
    refused.push_back({{"kernel", kernel}, {"reason", reason}});
  }
  return {{"name", step.name},
          {"problem", step.problem},
          {"family", step.family},
          {"kernel", step.kernel},
          {"reason", step.reason},
          {"microseconds", optional(step.evidence.microseconds)},
          {"error", optional(step.evidence.error)},
          {"runner_up", step.evidence.runner_up},
          {"alternatives", step.alternatives},
          {"refused", refused},
          {"flops", step.flops},
          {"output_offset_bytes", step.output_offset_bytes},
          {"output_bytes", step.output_bytes},
          {"workspace_bytes", step.workspace_bytes}};
}

Json to_json(const Explanation& explanation) {
  const Graph& graph = explanation.model->graph();
  const PlanReport& plan = explanation.compiled->report();
  Json json;
  json["model"] = escape_name(explanation.model->path());
  json["producer"] = graph.producer;
  json["ir_version"] = graph.ir_version;
  json["opset"] = graph.opset;
  json["inputs"] = describe_values(explanation.model->inputs());
  json["outputs"] = describe_values(explanation.model->outputs());
  json["device"] = describe_device(explanation.device.device->info());
  json["batch"] = explanation.shapes.batch;
  json["notes"] = explanation.shapes.notes;
  json["precision"] = plan.precision;
  json["graph"] = plan.uses_graph;
  json["passes"] = plan.passes;
  json["steps"] = Json::array();
  for (const StepReport& step : plan.steps) json["steps"].push_back(step_to_json(step));
  json["memory"] = {{"arena_bytes", plan.arena_bytes},
                    {"without_reuse_bytes", plan.unplanned_bytes},
                    {"weights_bytes", plan.constant_bytes}};
  return json;
}

std::string join(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string model_text(const Explanation& explanation) {
  const Graph& graph = explanation.model->graph();
  std::string text = fmt::format("model    {}: {}, IR {}, opset {}, {} nodes\n",
                                 escape_name(explanation.model->path()),
                                 graph.producer.empty() ? "unknown producer" : graph.producer,
                                 graph.ir_version, graph.opset, graph.nodes.size());
  text += "inputs   " + join(describe_values(explanation.model->inputs()), "; ") + '\n';
  text += "outputs  " + join(describe_values(explanation.model->outputs()), "; ") + '\n';
  text += fmt::format("device   {}, {}, batch {}, graph {}\n",
                      describe_device(explanation.device.device->info()),
                      explanation.compiled->report().precision, explanation.shapes.batch,
                      explanation.compiled->report().uses_graph ? "on" : "off");
  text += "kernels  " + describe_choice(explanation.compiled->report()) + '\n';
  for (const std::string& note : explanation.shapes.notes) text += "note     " + note + '\n';
  for (const std::string& pass : explanation.compiled->report().passes) {
    text += "pass     " + pass + '\n';
  }
  return text;
}

std::string steps_text(const PlanReport& plan) {
  constexpr auto kRight = Table::Align::kRight;
  Table table({{"step", kRight},
               {"layer"},
               {"kernel"},
               {"MFLOP", kRight},
               {"offset", kRight},
               {"output", kRight},
               {"workspace", kRight}});
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const StepReport& step = plan.steps[i];
    table.add({std::to_string(i), step.name, step.kernel, fmt::format("{:.3f}", step.flops / 1e6),
               std::to_string(step.output_offset_bytes), format_bytes(step.output_bytes),
               format_bytes(step.workspace_bytes)});
  }
  std::string text = table.to_string(stdout_is_terminal()) + "\nwhy\n";
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const StepReport& step = plan.steps[i];
    text += fmt::format("  {} {}: {}\n    chosen {}: {}", i, step.name, step.problem, step.kernel,
                        step.reason);
    if (!step.alternatives.empty()) text += "; could also run: " + join(step.alternatives, ", ");
    text += '\n';
    for (const auto& [kernel, reason] : step.refused) {
      text += fmt::format("    refused {}: {}\n", kernel, reason);
    }
  }
  return text;
}

std::string to_text(const Explanation& explanation) {
  const PlanReport& plan = explanation.compiled->report();
  return fmt::format("{}\n{}\nmemory   arena {} ({} without reuse), weights {}\n",
                     model_text(explanation), steps_text(plan), format_bytes(plan.arena_bytes),
                     format_bytes(plan.unplanned_bytes), format_bytes(plan.constant_bytes));
}

Status explain(const ExplainOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const Explanation explanation, compile_model(options));
  return options.json ? print_json(to_json(explanation)) : print_output(to_text(explanation));
}

}  // namespace

int run_explain(int argc, const char* const* argv) {
  CLI::App app("What the engine makes of a model.", "explain");
  ExplainOptions options;
  app.add_option("MODEL", options.model, "ONNX file")->required();
  add_execution_options(app, options.execution);
  add_shape_options(app, options.shapes);
  app.add_flag("--json", options.json, "one JSON document on stdout");
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  const Status status = explain(options);
  return status.ok() ? kExitOk : report_error(status);
}

}  // namespace tessera::cli
