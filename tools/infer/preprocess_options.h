// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/status.h"
#include "engine/image/image.h"

namespace tessera::cli {

// What the command line changes about the preprocessing; empty text means "as the model says".
struct PreprocessOptions {
  std::string preset;
  std::string channels;
  std::string resize;
  std::string resize_size;
  std::string scale;
  std::string mean;
  std::string std;
  std::string layout;
};
void add_preprocess_options(CLI::App& app, PreprocessOptions& options);

// Changes `preprocess` as asked; its preset then says that the command line had a part in it.
// kInvalidArgument names the flag that is wrong.
Status apply_preprocess_options(const PreprocessOptions& options, Preprocess& preprocess);

}  // namespace tessera::cli
