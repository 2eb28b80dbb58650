// SPDX-License-Identifier: Apache-2.0
// infer doctor
#include <fmt/format.h>
#include <span>

#include "engine/image/decoder.h"
#include "kernels/backend.h"
#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/device_name.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/json.h"
#include "tools/infer/options.h"

namespace tessera::cli {
namespace {

// One thing that may be there or not.
struct Finding {
  std::string area;  // "cuda", "cpu", "images"
  bool found = false;
  std::string text;    // what was found, or what is missing
  std::string remedy;  // the command that helps; empty when found
};

struct KnownBackend {
  std::string_view name;
  std::string_view missing;
  std::string_view remedy;
};

constexpr KnownBackend kKnownBackends[] = {
    {"cuda", "the CUDA backend is not in this build",
     "install the CUDA toolkit (nvcc on PATH) and build again with cmake -DTESSERA_CUDA=ON"},
    {"cpu", "the oneDNN backend is not in this build",
     "apt-get install libdnnl-dev and build again with cmake -DTESSERA_ONEDNN=ON"},
    {"reference", "the reference backend is not in this build", "build again"},
};

// What a line of Backend::describe_libraries says: the library that is there, or "why not; remedy".
Finding library_finding(const std::string& area, const std::string& line) {
  const bool missing = line.find("not found") != std::string::npos ||
                       line.find("not in this build") != std::string::npos;
  const size_t remedy = missing ? line.find("; ") : std::string::npos;
  if (remedy == std::string::npos) return {area, !missing, line, ""};
  return {area, false, line.substr(0, remedy), line.substr(remedy + 2)};
}

void examine_backend(const KnownBackend& known, std::vector<Finding>& findings) {
  const std::string area(known.name);
  const Backend* backend = find_backend(known.name);
  if (backend == nullptr) {
    findings.push_back({area, false, std::string(known.missing), std::string(known.remedy)});
    return;
  }
  for (const std::string& line : backend->describe_libraries()) {
    findings.push_back(library_finding(area, line));
  }
  const Result<std::vector<DeviceInfo>> devices = backend->devices();
  if (!devices.ok()) {
    findings.push_back({area, false, "no device", devices.status().message()});
    return;
  }
  for (const DeviceInfo& info : *devices) {
    findings.push_back({area, true, "device " + describe_device(info), ""});
  }
}

// A decoder is there when the format that these first bytes stand for has one.
void examine_image_format(std::string_view first_bytes, std::vector<Finding>& findings) {
  const ImageFormat* format =
      recognize_image_format(std::as_bytes(std::span(first_bytes.data(), first_bytes.size())));
  if (format == nullptr) return;
  const bool found = find_image_decoder(format->decoder) != nullptr;
  const std::string name(format->name);
  findings.push_back(
      {"images", found, name + (found ? " pictures can be read" : " pictures cannot be read"),
       found ? "" : fmt::format("apt-get install {} and build again", format->package)});
}

std::vector<Finding> examine() {
  std::vector<Finding> findings;
  for (const KnownBackend& known : kKnownBackends) examine_backend(known, findings);
  using namespace std::string_view_literals;
  for (const std::string_view first_bytes :
       {"\x89PNG\r\n\x1a\n"sv, "\xff\xd8\xff\xe0"sv, "BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0"sv,
        "P6\n1 1\n255\n"sv}) {
    examine_image_format(first_bytes, findings);
  }
  return findings;
}

bool anything_can_run() {
  for (const Backend* backend : backends()) {
    const Result<std::vector<DeviceInfo>> devices = backend->devices();
    if (devices.ok() && !devices->empty()) return true;
  }
  return false;
}

Json to_json(const std::vector<Finding>& findings, bool can_run) {
  Json json = {{"version", TESSERA_VERSION}, {"can_run", can_run}, {"findings", Json::array()}};
  for (const Finding& finding : findings) {
    json["findings"].push_back({{"area", finding.area},
                                {"found", finding.found},
                                {"text", finding.text},
                                {"remedy", finding.remedy}});
  }
  return json;
}

std::string to_text(const std::vector<Finding>& findings, bool can_run) {
  std::string text = fmt::format("infer {}\n", TESSERA_VERSION);
  for (const Finding& finding : findings) {
    text += fmt::format("{:<10} {:<8} {}\n", finding.area, finding.found ? "ok" : "missing",
                        finding.text);
    if (!finding.remedy.empty()) text += fmt::format("{:20}{}\n", "", finding.remedy);
  }
  return text + (can_run ? "models can run\n" : "no model can run: see the remedies above\n");
}

}  // namespace

int run_doctor(int argc, const char* const* argv) {
  CLI::App app("What was built in, what was found on this machine, what to install.", "doctor");
  bool json = false;
  app.add_flag("--json", json, "one JSON document on stdout");
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  const std::vector<Finding> findings = examine();
  const bool can_run = anything_can_run();
  const Status status =
      json ? print_json(to_json(findings, can_run)) : print_output(to_text(findings, can_run));
  if (!status.ok()) return report_error(status);
  return can_run ? kExitOk : kExitDevice;
}

}  // namespace tessera::cli
