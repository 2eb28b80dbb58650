// SPDX-License-Identifier: Apache-2.0
// infer check MODEL|DIR
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

#include "engine/graph/printable.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/interrupt.h"
#include "tools/infer/json.h"
#include "tools/infer/model_check.h"
#include "tools/infer/onnx_cases.h"
#include "tools/infer/progress.h"

namespace tessera::cli {
namespace {

Json to_json(const ModelCheck& check, const std::string& path) {
  Json json;
  json["model"] = escape_name(path);
  json["device"] = check.device;
  json["ok"] = check.ok();
  json["steps"] = Json::array();
  for (const StepCheck& step : check.steps) {
    json["steps"].push_back({{"name", step.name},
                             {"kernel", step.kernel},
                             {"ok", step.ok()},
                             {"worst_error", step.worst_error},
                             {"worst_tolerance", step.worst_tolerance},
                             {"worst_ratio", step.worst_ratio},
                             {"worst_element", step.worst_element},
                             {"overflow", step.overflow}});
  }
  json["goldens"] = Json::array();
  for (const GoldenCheck& golden : check.goldens) {
    json["goldens"].push_back(
        {{"image", golden.image}, {"ok", golden.ok}, {"detail", golden.detail}});
  }
  return json;
}

std::string to_text(const ModelCheck& check) {
  constexpr auto kRight = Table::Align::kRight;
  Table table({{"result"},
               {"layer"},
               {"kernel"},
               {"error", kRight},
               {"allowed", kRight},
               {"worst element"}});
  for (const StepCheck& step : check.steps) {
    table.add({step.ok() ? "ok" : "MISMATCH", step.name, step.kernel,
               fmt::format("{:.3g}", step.worst_error), fmt::format("{:.3g}", step.worst_tolerance),
               step.worst_element});
  }
  std::string text = table.to_string(stdout_is_terminal());
  for (const StepCheck& step : check.steps) {
    if (!step.overflow.empty()) text += fmt::format("{}: {}\n", step.name, step.overflow);
  }
  for (const GoldenCheck& golden : check.goldens) {
    text += fmt::format("golden {}: {}\n", golden.image, golden.ok ? "ok" : golden.detail);
  }
  return text + fmt::format("{} on {}\n", check.ok() ? "ok" : "MISMATCH", check.device);
}

Result<int> check_one_model(const CheckOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(const ModelCheck check, check_model(options));
  for (const std::string& note : check.notes) print_note("infer: " + note);
  TESSERA_RETURN_IF_ERROR(options.json ? print_json(to_json(check, options.path))
                                       : print_output(to_text(check)));
  return static_cast<int>(check.ok() ? kExitOk : kExitFailed);
}

const char* result_name(CaseResult result) {
  switch (result) {
    case CaseResult::kPassed:
      return "passed";
    case CaseResult::kFailed:
      return "failed";
    case CaseResult::kUnsupported:
      return "unsupported";
  }
  return "unknown";
}

struct CaseCounts {
  size_t passed = 0;
  size_t failed = 0;
  size_t unsupported = 0;
};

CaseCounts count(const std::vector<CaseOutcome>& outcomes) {
  CaseCounts counts;
  for (const CaseOutcome& outcome : outcomes) {
    counts.passed += outcome.result == CaseResult::kPassed ? 1 : 0;
    counts.failed += outcome.result == CaseResult::kFailed ? 1 : 0;
    counts.unsupported += outcome.result == CaseResult::kUnsupported ? 1 : 0;
  }
  return counts;
}

Json to_json(const std::vector<CaseOutcome>& outcomes) {
  const CaseCounts counts = count(outcomes);
  Json json = {{"passed", counts.passed},
               {"failed", counts.failed},
               {"unsupported", counts.unsupported},
               {"cases", Json::array()}};
  for (const CaseOutcome& outcome : outcomes) {
    json["cases"].push_back({{"name", outcome.name},
                             {"result", result_name(outcome.result)},
                             {"reason", outcome.reason},
                             {"kernels", outcome.kernels}});
  }
  return json;
}

std::string to_text(const std::vector<CaseOutcome>& outcomes) {
  Table table({{"result"}, {"case"}, {"reason"}});
  for (const CaseOutcome& outcome : outcomes) {
    std::string reason = outcome.reason;
    for (char& c : reason) c = c == '\n' || c == '\t' ? ' ' : c;
    table.add({result_name(outcome.result), outcome.name, reason});
  }
  const CaseCounts counts = count(outcomes);
  return table.to_string(stdout_is_terminal()) +
         fmt::format("{} passed, {} failed, {} unsupported\n", counts.passed, counts.failed,
                     counts.unsupported);
}

int cases_exit_code(const std::vector<CaseOutcome>& outcomes) {
  if (interrupted()) return kExitInterrupted;
  const CaseCounts counts = count(outcomes);
  if (counts.failed > 0) return kExitFailed;
  return counts.passed > 0 ? kExitOk : kExitModel;
}

Result<int> check_folder(const CheckOptions& options) {
  if (!options.execution.load_plan.empty() || !options.execution.save_plan.empty()) {
    return invalid_argument("--load-plan and --save-plan are for one model, " + options.path +
                            " is a folder of them");
  }
  CaseSettings settings;
  TESSERA_ASSIGN_OR_RETURN(settings.compile, to_compile_options(options.execution));
  const PrecisionOptions& precision = settings.compile.precision;
  if (precision.model != Precision::kFloat32 || !precision.layers.empty()) {
    return invalid_argument("precisions are for one model; tests state what float32 gives");
  }
  TESSERA_ASSIGN_OR_RETURN(const std::vector<OnnxCase> cases, find_onnx_cases(options.path));
  // A missing device or an unknown kernel is one error, not one failure a case.
  TESSERA_ASSIGN_OR_RETURN(settings.device, open_device(options.execution.device));
  const OpenDevice& device = settings.device;
  TESSERA_RETURN_IF_ERROR(
      KernelChooser(*device.backend, device.device->info(), settings.compile.choice).check_names());
  settings.rtol = options.rtol;
  settings.atol = options.atol;
  defer_interrupts();
  Progress progress(cases.size(), stderr_is_terminal());
  std::vector<CaseOutcome> outcomes;
  for (const OnnxCase& onnx_case : cases) {
    if (interrupted()) break;
    outcomes.push_back(run_onnx_case(onnx_case, settings));
    progress.update(outcomes.size());
  }
  progress.clear();
  TESSERA_RETURN_IF_ERROR(options.json ? print_json(to_json(outcomes))
                                       : print_output(to_text(outcomes)));
  return cases_exit_code(outcomes);
}

CLI::Validator non_negative_number() {
  const auto check = [](const std::string& text) -> std::string {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const bool is_number = !text.empty() && *end == '\0';
    return is_number && number >= 0 ? std::string()
                                    : fmt::format("'{}' is not a number from 0 on", text);
  };
  return CLI::Validator(check, "NUMBER >= 0");
}

}  // namespace

int run_check(int argc, const char* const* argv) {
  CLI::App app("Compares a model's layers with a float64 reference, or runs ONNX test directories.",
               "check");
  CheckOptions options;
  app.add_option("PATH", options.path,
                 "ONNX file, or folder of ONNX tests (model.onnx and test_data_set_*)")
      ->required();
  add_execution_options(app, options.execution);
  add_shape_options(app, options.shapes);
  app.add_option("--rtol", options.rtol, "relative tolerance for ONNX tests")
      ->check(non_negative_number())
      ->capture_default_str();
  app.add_option("--atol", options.atol, "absolute tolerance for ONNX tests")
      ->check(non_negative_number())
      ->capture_default_str();
  app.add_flag("--json", options.json, "one JSON document on stdout");
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(options.path, ignored);
  const Result<int> result = is_folder ? check_folder(options) : check_one_model(options);
  return result.ok() ? *result : report_error(result.status());
}

}  // namespace tessera::cli
