// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/run_infer.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "core/check.h"

namespace tessera {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends = {};
    TESSERA_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_read() { close_end(read_end); }
  void close_write() { close_end(write_end); }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

[[noreturn]] void become_child(const std::vector<std::string>& command,
                               const ProcessOptions& options, int out, int err) {
  constexpr uid_t kNobody = 65534;
  constexpr int kCannotStart = 126;
  if (!options.stdout_path.empty()) {
    out = ::open(options.stdout_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  }
  const int null = ::open("/dev/null", O_RDONLY);
  if (::dup2(null, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
      ::dup2(err, STDERR_FILENO) < 0) {
    ::_exit(kCannotStart);
  }
  for (const auto& [name, value] : options.environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  if (options.as_nobody && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
    ::_exit(kCannotStart);
  }
  for (const int descriptor : options.closed) ::close(descriptor);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(kCannotStart);
}

// Appends what is there; closes the pipe at its end.
void drain(Pipe& pipe, std::string& text) {
  std::array<char, 65536> chunk = {};
  const ssize_t count = ::read(pipe.read_end, chunk.data(), chunk.size());
  if (count > 0) {
    text.append(chunk.data(), static_cast<size_t>(count));
  } else {
    pipe.close_read();
  }
}

void collect(pid_t child, const ProcessOptions& options, Pipe& out, Pipe& err,
             ProcessResult& result) {
  bool interrupted = false;
  while (out.read_end >= 0 || err.read_end >= 0) {
    std::array<pollfd, 2> ends = {pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0}};
    const int timeout_ms = options.terminate_after_ms > 0 ? options.terminate_after_ms : -1;
    const int ready = ::poll(ends.data(), ends.size(), timeout_ms);
    if (ready == 0) ::kill(child, SIGTERM);
    if (ready <= 0) continue;
    if (ends[0].revents != 0) drain(out, result.out);
    if (ends[1].revents != 0) drain(err, result.err);
    if (options.close_stdout_after_output && !result.out.empty()) out.close_read();
    if (options.interrupt_after_bytes > 0 && !interrupted &&
        result.out.size() >= options.interrupt_after_bytes) {
      ::kill(child, SIGINT);
      interrupted = true;
    }
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  Pipe out;
  Pipe err;
  const pid_t child = ::fork();
  TESSERA_CHECK(child >= 0);
  if (child == 0) become_child(command, options, out.write_end, err.write_end);
  out.close_write();
  err.close_write();
  ProcessResult result;
  collect(child, options, out, err, result);
  int status = 0;
  TESSERA_CHECK(::waitpid(child, &status, 0) == child);
  constexpr int kSignalBase = 128;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return result;
}

ProcessResult run_infer(std::vector<std::string> arguments, const ProcessOptions& options) {
  arguments.insert(arguments.begin(), TESSERA_INFER_PATH);
  return run_process(arguments, options);
}

std::string source_path(const std::string& relative) {
  return std::string(TESSERA_SOURCE_FOLDER) + "/" + relative;
}

namespace {

bool doctor_finds(const std::string& area, const std::string& beginning) {
  static const nlohmann::json findings = run_infer({"doctor", "--json"}).json();
  for (const auto& finding : findings.at("findings")) {
    if (finding.at("area") == area && finding.at("found").get<bool>() &&
        finding.at("text").get<std::string>().starts_with(beginning)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool has_device(const std::string& backend) { return doctor_finds(backend, "device "); }
bool has_picture_format(const std::string& format) { return doctor_finds("images", format); }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace tessera
