// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <string>
#include <vector>

#include "core/nearest.h"
#include "kernels/backend.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/interrupt.h"

namespace tessera::cli {
namespace {

constexpr Command kCommands[] = {
    {"eval", "accuracy, per-class precision and recall, confusion matrix", run_eval},
    {"explain", "what the engine makes of a model: fusions, kernels, memory", run_explain},
    {"tune", "time and error of every kernel for every layer of a model", run_tune},
    {"check", "compare a model, or ONNX test directories, with the expected results", run_check},
    {"bench", "latency and throughput of a model, layer by layer if asked", run_bench},
    {"kernels", "the kernels of a family, timed against each other and the roof", run_kernels},
    {"accuracy", "the errors of all kernels and of the libraries, against float64", run_accuracy},
    {"ops", "the ONNX operators that are supported", run_ops},
    {"device", "the devices, their copy bandwidths and launch times", run_device},
    {"doctor", "what was built in, what was found, what is missing", run_doctor},
};

std::string version_text() {
  std::string names;
  for (const Backend* backend : backends()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", backend->name);
  }
  return fmt::format("infer {} (backends: {})\n", TESSERA_VERSION, names);
}

int print_and_exit(const std::string& text) {
  const Status printed = print_output(text);
  return printed.ok() ? kExitOk : report_error(printed);
}

// The sub-command that a word which is no file comes close to, empty when there is none.
std::string meant_command(const std::string& word) {
  std::error_code error;
  if (word.starts_with('-') || std::filesystem::exists(word, error)) return {};
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return nearest_word(word, names);
}

int dispatch(int argc, const char* const* argv) {
  if (argc >= 2) {
    const std::string_view word = argv[1];
    if (word == "--version") return print_and_exit(version_text());
    for (const Command& command : commands()) {
      if (word == command.name) return command.run(argc - 1, argv + 1);
    }
  }
  if (argc >= 2) {
    if (const std::string meant = meant_command(argv[1]); !meant.empty()) {
      return report_error(not_found(
          fmt::format("{}: no such file; did you mean the sub-command {}?", argv[1], meant)));
    }
  }
  return run_classify(argc, argv);
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace tessera::cli

int main(int argc, char** argv) {
  try {
    tessera::cli::occupy_closed_streams();
    tessera::cli::install_signal_handlers();
    return tessera::cli::dispatch(argc, argv);
  } catch (const std::bad_alloc&) {
    return tessera::cli::report_error(tessera::out_of_memory("out of memory"));
  } catch (const std::exception& error) {
    return tessera::cli::report_error(
        tessera::internal_error(std::string("internal error: ") + error.what()));
  }
}
