// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/status.h"
#include "engine/executor/compiled_model.h"
#include "tessera/model.h"

namespace tessera::cli {

// Where and how a network runs.
struct ExecutionOptions {
  std::string device = "auto";
  std::string backend;
  std::vector<std::string> layer_backends;  // lists of PATTERN:NAME
  std::string load_plan;
  std::string save_plan;
  std::string timing_cache;
  bool tf32 = false;
  bool fp16 = false;
  bool bf16 = false;
  std::vector<std::string> layer_precisions;  // lists of PATTERN:PRECISION
  bool allow_fallback = false;
  bool no_graph = false;
  bool no_optimize = false;
};
void add_execution_options(CLI::App& app, ExecutionOptions& options);
// Reads the plan and the timing cache. kInvalidArgument names the rule of --layer-backends or
// --layer-precisions that is not PATTERN:NAME, or the file that is not what it should be.
Result<CompileOptions> to_compile_options(const ExecutionOptions& options);

// Extents that the model leaves open.
struct ShapeOptions {
  int64_t batch = 32;
  std::vector<std::string> shapes;  // name=NxCxHxW or symbol=value
};
void add_shape_options(CLI::App& app, ShapeOptions& options);
// --shapes alone, for a command with a --batch of its own.
void add_model_shape_option(CLI::App& app, ShapeOptions& options);

// What --batch and --shapes say, in the terms of resolve_input_shapes().
struct ChosenShapes {
  int64_t batch = 1;
  std::map<std::string, int64_t> symbols;
};
// kInvalidArgument names the text that is wrong, or the extent that the model fixes otherwise.
Result<ChosenShapes> choose_shapes(const Model& model, const ShapeOptions& options);

// Parses the command line of one command. Returns true to go on; otherwise `exit_code` is set: 0
// after --help, 2 after a mistake, which has been printed together with the nearest known flag.
bool parse_command_line(CLI::App& app, int argc, const char* const* argv, int& exit_code);

// "1,2.5,3" as numbers; kInvalidArgument names `flag`.
Result<std::vector<float>> parse_numbers(const std::string& flag, const std::string& text);
// For CLI11: an integer of at least `least`, with a message that a person can read.
CLI::Validator integer_from(int64_t least);

Result<int64_t> parse_positive(const std::string& flag, const std::string& text);
// "1024x512x64" or "1,8,64" as positive integers; kInvalidArgument names `flag`.
Result<std::vector<int64_t>> parse_extents(const std::string& flag, const std::string& text,
                                           char separator);

// The parts of a text between separators; one for a text without any.
std::vector<std::string> split(const std::string& text, char separator);

}  // namespace tessera::cli
