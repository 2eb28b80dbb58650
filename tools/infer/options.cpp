// SPDX-License-Identifier: Apache-2.0
#include "tools/infer/options.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <set>

#include "core/nearest.h"
#include "tools/infer/console.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/plan_files.h"

namespace tessera::cli {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

CLI::Validator integer_from(int64_t least) {
  const auto check = [least](const std::string& text) -> std::string {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_integer = error == std::errc() && end == text.data() + text.size();
    if (is_integer && number >= least) return {};
    return fmt::format("'{}' is not an integer from {} to {}", text, least,
                       std::numeric_limits<int64_t>::max());
  };
  return CLI::Validator(check, fmt::format("INTEGER >= {}", least));
}

void add_execution_options(CLI::App& app, ExecutionOptions& options) {
  app.add_option("--device", options.device, "auto, cuda, cuda:N, cpu or reference")
      ->capture_default_str();
  app.add_option(
      "--backend", options.backend,
      "a kernel or library (gemm_naive, cublas, cudnn, onednn, ...) for every layer of a "
      "family that has it");
  app.add_option("--layer-backends", options.layer_backends,
                 "PATTERN:NAME,...: the same for layers by node name or operator, * and ? as "
                 "wildcards, the first match counts, auto leaves the layer free")
      ->allow_extra_args(false);
  app.add_option("--load-plan", options.load_plan, "kernel of each layer, from --save-plan");
  app.add_option("--save-plan", options.save_plan, "write the kernel of each layer to a file");
  app.add_option("--timing-cache,--timingCacheFile", options.timing_cache,
                 "kernels' times, filled by infer tune: the fastest is chosen");
  CLI::Option* tf32 =
      app.add_flag("--tf32", options.tf32, "GEMM and convolution may round their factors to TF32");
  CLI::Option* fp16 = app.add_flag("--fp16", options.fp16, "weights and activations in float16");
  CLI::Option* bf16 = app.add_flag("--bf16", options.bf16, "weights and activations in bfloat16");
  tf32->excludes(fp16)->excludes(bf16);
  fp16->excludes(bf16);
  app.add_option("--layer-precisions", options.layer_precisions,
                 "PATTERN:fp32|tf32|fp16|bf16,...: the same by layer; the first match counts")
      ->allow_extra_args(false);
  app.add_flag("--allow-fallback", options.allow_fallback,
               "layers that no kernel runs in that precision run in float32");
  app.add_flag("--no-graph,--noCudaGraph", options.no_graph,
               "launch kernel by kernel, without a CUDA graph");
  app.add_flag("--no-optimize", options.no_optimize, "do not fuse layers or fold batch norms");
}

namespace {

using Rule = std::pair<std::string, std::string>;

// The rules of a repeatable option with lists of PATTERN:WORD.
Result<std::vector<Rule>> parse_rules(const std::string& flag, const std::string& example,
                                      const std::vector<std::string>& lists) {
  std::vector<Rule> rules;
  for (const std::string& list : lists) {
    for (const std::string& rule : split(list, ',')) {
      const size_t colon = rule.rfind(':');  // a node's name may hold colons, what follows may not
      if (colon == std::string::npos || colon == 0 || colon + 1 == rule.size()) {
        return invalid_argument(
            fmt::format("{}: '{}' is not PATTERN:NAME, such as '{}'", flag, rule, example));
      }
      rules.emplace_back(rule.substr(0, colon), rule.substr(colon + 1));
    }
  }
  return rules;
}

Result<PrecisionOptions> parse_precisions(const ExecutionOptions& options) {
  PrecisionOptions precision;
  precision.allow_fallback = options.allow_fallback;
  if (options.tf32) precision.model = Precision::kTf32;
  if (options.fp16) precision.model = Precision::kFloat16;
  if (options.bf16) precision.model = Precision::kBFloat16;
  TESSERA_ASSIGN_OR_RETURN(
      const std::vector<Rule> rules,
      parse_rules("--layer-precisions", "conv1:fp16", options.layer_precisions));
  for (const auto& [pattern, name] : rules) {
    const std::optional<Precision> parsed = parse_precision(name);
    if (!parsed) {
      return invalid_argument(fmt::format(
          "--layer-precisions {}:{}: must be one of fp32, tf32, fp16, bf16", pattern, name));
    }
    precision.layers.emplace_back(pattern, *parsed);
  }
  return precision;
}

}  // namespace

Result<CompileOptions> to_compile_options(const ExecutionOptions& options) {
  CompileOptions compile;
  compile.use_graph = !options.no_graph;
  compile.optimize = !options.no_optimize;
  compile.choice.backend = options.backend;
  TESSERA_ASSIGN_OR_RETURN(
      compile.choice.layer_backends,
      parse_rules("--layer-backends", "conv1:conv_direct", options.layer_backends));
  TESSERA_ASSIGN_OR_RETURN(compile.precision, parse_precisions(options));
  if (!options.load_plan.empty()) {
    TESSERA_ASSIGN_OR_RETURN(Plan plan, load_plan(options.load_plan));
    compile.choice.plan = std::make_shared<const Plan>(std::move(plan));
  }
  if (!options.timing_cache.empty()) {
    TESSERA_ASSIGN_OR_RETURN(compile.choice.timings, open_timing_cache(options.timing_cache));
  }
  // A model may be compiled several times in one run: what there is to say is said once.
  compile.tell = [told = std::make_shared<std::set<std::string>>()](const std::string& sentence) {
    if (told->insert(sentence).second) print_problem(sentence);
  };
  return compile;
}

void add_model_shape_option(CLI::App& app, ShapeOptions& options) {
  app.add_option("--shapes", options.shapes,
                 "extents that the model leaves open: INPUT=NxCxHxW or SYMBOL=VALUE (repeatable)")
      ->allow_extra_args(false);
}

void add_shape_options(CLI::App& app, ShapeOptions& options) {
  app.add_option("--batch", options.batch, "samples per run of the network")
      ->check(integer_from(1))
      ->capture_default_str();
  add_model_shape_option(app, options);
}

namespace {

// --shapes INPUT=NxCxHxW for one input of the model.
Status choose_input_shape(const ValueInfo& input, bool is_first, const std::string& text,
                          ChosenShapes& chosen) {
  const std::vector<std::string> parts = split(text, 'x');
  const std::string flag = fmt::format("--shapes {}={}", input.name, text);
  if (parts.size() != input.extents.size()) {
    return invalid_argument(fmt::format("{}: has {} extents, but the model's input has {}", flag,
                                        parts.size(), input.extents.size()));
  }
  for (size_t axis = 0; axis < parts.size(); ++axis) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t extent, parse_positive(flag, parts[axis]));
    const int64_t declared = input.extents[axis];
    if (declared >= 0 && declared != extent) {
      return invalid_argument(
          fmt::format("{}: the model fixes extent {} to {}", flag, axis, declared));
    }
    if (declared >= 0) continue;
    if (axis == 0) {
      if (is_first) chosen.batch = extent;
      continue;
    }
    const std::string& symbol = input.symbols[axis];
    chosen.symbols[symbol.empty() ? fmt::format("{}:{}", input.name, axis) : symbol] = extent;
  }
  return {};
}

}  // namespace

Result<ChosenShapes> choose_shapes(const Model& model, const ShapeOptions& options) {
  ChosenShapes chosen;
  chosen.batch = options.batch;
  for (const std::string& text : options.shapes) {
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return invalid_argument(
          fmt::format("--shapes {}: must be INPUT=NxCxHxW or SYMBOL=VALUE", text));
    }
    const std::string name = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    const auto input = std::find_if(model.inputs().begin(), model.inputs().end(),
                                    [&](const ValueInfo& info) { return info.name == name; });
    if (input != model.inputs().end()) {
      TESSERA_RETURN_IF_ERROR(
          choose_input_shape(*input, input == model.inputs().begin(), value, chosen));
      continue;
    }
    TESSERA_ASSIGN_OR_RETURN(const int64_t extent, parse_positive("--shapes " + text, value));
    chosen.symbols[name] = extent;
    const auto& inputs = model.inputs();
    const bool is_batch =
        !inputs.empty() && !inputs[0].symbols.empty() && inputs[0].symbols[0] == name;
    if (is_batch) chosen.batch = extent;
  }
  return chosen;
}

namespace {

// An empty value is mostly a variable of a script that was not set; taken as an option that was not
// given, it would be ignored in silence.
std::string describe_empty_value(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_expected_min() == 0) continue;  // a value may follow or not
    const std::vector<std::string>& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end()) {
      return option->get_name() + ": the value is empty";
    }
  }
  return {};
}

std::string describe_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& word : app.remaining()) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string flag = word.substr(0, word.find('='));
    const std::string nearest = nearest_word(flag, known);
    const std::string command = app.get_name() == "infer" ? "infer" : "infer " + app.get_name();
    const std::string help = "; see " + command + " --help";
    return "unknown option " + flag + (nearest.empty() ? help : "; did you mean " + nearest + "?");
  }
  return error.what();
}

}  // namespace

bool parse_command_line(CLI::App& app, int argc, const char* const* argv, int& exit_code) {
  try {
    app.parse(argc, argv);
    const std::string empty = describe_empty_value(app);
    if (empty.empty()) return true;
    print_problem(empty);
    exit_code = kExitUsage;
  } catch (const CLI::CallForHelp&) {
    const Status printed = print_output(app.help());
    exit_code = printed.ok() ? kExitOk : report_error(printed);
  } catch (const CLI::ParseError& error) {
    print_problem(describe_parse_error(app, error));
    exit_code = kExitUsage;
  }
  return false;
}

Result<std::vector<float>> parse_numbers(const std::string& flag, const std::string& text) {
  std::vector<float> numbers;
  for (const std::string& part : split(text, ',')) {
    float number = 0.0F;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (part.empty() || error != std::errc() || end != part.data() + part.size()) {
      return invalid_argument(fmt::format(
          "{} {}: '{}' is not a number; expected numbers separated by commas", flag, text, part));
    }
    numbers.push_back(number);
  }
  return numbers;
}

Result<std::vector<int64_t>> parse_extents(const std::string& flag, const std::string& text,
                                           char separator) {
  std::vector<int64_t> extents;
  for (const std::string& part : split(text, separator)) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t extent, parse_positive(flag, part));
    extents.push_back(extent);
  }
  return extents;
}

Result<int64_t> parse_positive(const std::string& flag, const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 1) {
    return invalid_argument(fmt::format("{}: '{}' is not a positive integer", flag, text));
  }
  return number;
}

}  // namespace tessera::cli
