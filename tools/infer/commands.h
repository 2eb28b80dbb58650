// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace tessera::cli {

// One sub-command: `run` gets the arguments behind its name, argv[0] being the name itself, and
// returns the exit code.
struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(int argc, const char* const* argv);
};

// The sub-commands with a name of their own, in the order of the help.
std::span<const Command> commands();

// `infer MODEL INPUT...`, the command without a name.
int run_classify(int argc, const char* const* argv);

int run_eval(int argc, const char* const* argv);
int run_explain(int argc, const char* const* argv);
int run_tune(int argc, const char* const* argv);
int run_check(int argc, const char* const* argv);
int run_bench(int argc, const char* const* argv);
int run_kernels(int argc, const char* const* argv);
int run_ops(int argc, const char* const* argv);
int run_accuracy(int argc, const char* const* argv);
int run_device(int argc, const char* const* argv);
int run_doctor(int argc, const char* const* argv);

}  // namespace tessera::cli
