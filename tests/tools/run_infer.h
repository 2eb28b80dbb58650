// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

// What a finished process left behind.
struct ProcessResult {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;

  // stdout as JSON; a discarded value when it is none.
  [[nodiscard]] nlohmann::json json() const {
    return nlohmann::json::parse(out, nullptr, /*allow_exceptions=*/false);
  }
};

struct ProcessOptions {
  std::vector<std::pair<std::string, std::string>> environment;
  std::string stdout_path;                 // writes stdout there instead of capturing it
  bool close_stdout_after_output = false;  // reads a little of stdout and closes the pipe
  std::vector<int> closed;                 // file descriptors that are not open at its start
  size_t interrupt_after_bytes = 0;        // sends SIGINT when so much of stdout has arrived
  int terminate_after_ms = 0;              // sends SIGTERM after so long without output
  bool as_nobody = false;                  // as user 65534, for tests of permissions run by root
};

// Runs a program and waits for it. Aborts the test program when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& command,
                          const ProcessOptions& options = {});

// Runs the built `infer` with these arguments.
ProcessResult run_infer(std::vector<std::string> arguments, const ProcessOptions& options = {});

// A path below the source tree.
std::string source_path(const std::string& relative);

// Whether `infer doctor` found a device of this backend ("cuda"), and a decoder of this picture
// format ("PNG").
bool has_device(const std::string& backend);
bool has_picture_format(const std::string& format);

std::string read_file(const std::string& path);

}  // namespace tessera
