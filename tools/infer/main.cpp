// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string>

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
    {"check", "compare a model, or ONNX test directories, with the expected results", run_check},
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

int dispatch(int argc, const char* const* argv) {
  if (argc >= 2) {
    const std::string_view word = argv[1];
    if (word == "--version") return print_and_exit(version_text());
    for (const Command& command : commands()) {
      if (word == command.name) return command.run(argc - 1, argv + 1);
    }
  }
  return run_classify(argc, argv);
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace tessera::cli

int main(int argc, char** argv) {
  try {
    tessera::cli::install_signal_handlers();
    return tessera::cli::dispatch(argc, argv);
  } catch (const std::bad_alloc&) {
    return tessera::cli::report_error(tessera::out_of_memory("out of memory"));
  } catch (const std::exception& error) {
    return tessera::cli::report_error(
        tessera::internal_error(std::string("internal error: ") + error.what()));
  }
}
