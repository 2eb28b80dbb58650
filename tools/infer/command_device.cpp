// SPDX-License-Identifier: Apache-2.0
// infer device
#include <cmath>
#include <fmt/format.h>
#include <functional>

#include "tools/infer/commands.h"
#include "tools/infer/console.h"
#include "tools/infer/device_name.h"
#include "tools/infer/device_probe.h"
#include "tools/infer/exit_code.h"
#include "tools/infer/json.h"
#include "tools/infer/options.h"

namespace tessera::cli {
namespace {

struct Measured {
  DeviceInfo info;
  DeviceProbe probe;
};

// The devices found, and for each backend without one the reason.
struct Survey {
  std::vector<Measured> devices;
  std::vector<std::pair<std::string, std::string>> absent;  // backend, reason
};

Status survey_backend(const Backend& backend, Survey& survey) {
  const Result<std::vector<DeviceInfo>> devices = backend.devices();
  if (!devices.ok()) {
    survey.absent.emplace_back(backend.name, devices.status().message());
    return {};
  }
  for (const DeviceInfo& info : *devices) {
    TESSERA_ASSIGN_OR_RETURN(const DeviceProbe probe, probe_device(backend, info.ordinal));
    survey.devices.push_back({info, probe});
  }
  return {};
}

Result<Survey> survey_devices(const std::string& name) {
  Survey survey;
  if (name != "auto") {
    TESSERA_ASSIGN_OR_RETURN(const OpenDevice opened, open_device(name));
    const DeviceInfo& info = opened.device->info();
    TESSERA_ASSIGN_OR_RETURN(const DeviceProbe probe, probe_device(*opened.backend, info.ordinal));
    survey.devices.push_back({info, probe});
    return survey;
  }
  if (find_backend("cuda") == nullptr) {
    survey.absent.emplace_back("cuda", "this build has no CUDA backend (TESSERA_CUDA)");
  }
  if (find_backend("cpu") == nullptr) {
    survey.absent.emplace_back("cpu", "this build has no oneDNN backend (TESSERA_ONEDNN)");
  }
  for (const Backend* backend : backends()) {
    TESSERA_RETURN_IF_ERROR(survey_backend(*backend, survey));
  }
  return survey;
}

Json copies_to_json(const CopyRates& rates) {
  constexpr double kGiga = 1e9;
  return {{"pinned_to_device_gb_per_s", rates.pinned_to_device / kGiga},
          {"pinned_to_host_gb_per_s", rates.pinned_to_host / kGiga},
          {"pageable_to_device_gb_per_s", rates.pageable_to_device / kGiga},
          {"pageable_to_host_gb_per_s", rates.pageable_to_host / kGiga}};
}

Json to_json(const Measured& device) {
  const DeviceInfo& info = device.info;
  const LaunchTimes& times = device.probe.launches;
  Json json = {{"backend", info.backend},
               {"name", info.name},
               {"ordinal", info.ordinal},
               {"threads", info.threads},
               {"compute_major", info.compute_major},
               {"compute_minor", info.compute_minor},
               {"multiprocessors", info.multiprocessors},
               {"max_threads_per_multiprocessor", info.max_threads_per_multiprocessor},
               {"registers_per_multiprocessor", info.registers_per_multiprocessor},
               {"shared_bytes_per_multiprocessor", info.shared_bytes_per_multiprocessor},
               {"shared_bytes_per_block_optin", info.shared_bytes_per_block_optin},
               {"last_level_cache_bytes", info.last_level_cache_bytes},
               {"memory_bytes", info.memory_bytes},
               {"memory_bus_bits", info.memory_bus_bits},
               {"clock_khz", info.clock_khz},
               {"memory_clock_khz", info.memory_clock_khz},
               {"driver_version", info.driver_version},
               {"runtime_version", info.runtime_version}};
  json["copies"] = device.probe.copies ? copies_to_json(*device.probe.copies) : Json();
  json["launch_us"] = times.launch_us;
  json["launch_and_wait_us"] = times.launch_and_wait_us;
  json["graph_us"] = times.graph_us ? Json(*times.graph_us) : Json();
  json["graph_and_wait_us"] = times.graph_and_wait_us ? Json(*times.graph_and_wait_us) : Json();
  return json;
}

Json to_json(const Survey& survey) {
  Json json = {{"devices", Json::array()}, {"absent", Json::array()}};
  for (const Measured& device : survey.devices) json["devices"].push_back(to_json(device));
  for (const auto& [backend, reason] : survey.absent) {
    json["absent"].push_back({{"backend", backend}, {"reason", reason}});
  }
  return json;
}

// "  label   value" for each number that applies to the device.
std::string facts_text(const DeviceInfo& info) {
  std::string text;
  const auto line = [&text](const char* label, const std::string& value) {
    text += fmt::format("  {:<34} {}\n", label, value);
  };
  if (info.multiprocessors > 0) {
    line("compute capability", fmt::format("{}.{}", info.compute_major, info.compute_minor));
    line("multiprocessors", std::to_string(info.multiprocessors));
    line("threads per multiprocessor", std::to_string(info.max_threads_per_multiprocessor));
    line("registers per multiprocessor", std::to_string(info.registers_per_multiprocessor));
    line("shared memory per multiprocessor", format_bytes(info.shared_bytes_per_multiprocessor));
    line("shared memory per block (opt-in)", format_bytes(info.shared_bytes_per_block_optin));
    line("L2 cache", format_bytes(info.last_level_cache_bytes));
    line("memory",
         fmt::format("{}, {} bits wide", format_bytes(info.memory_bytes), info.memory_bus_bits));
    line("clock, memory clock",
         fmt::format("{} MHz, {} MHz", info.clock_khz / 1000, info.memory_clock_khz / 1000));
  }
  if (!info.driver_version.empty()) line("driver", info.driver_version);
  if (!info.runtime_version.empty()) line("runtime", info.runtime_version);
  return text;
}

std::string probe_text(const DeviceProbe& probe) {
  constexpr double kGiga = 1e9;
  std::string text;
  const auto line = [&text](const char* label, double value, const char* unit) {
    text += fmt::format("  {:<34} {:.2f} {}\n", label, value, unit);
  };
  if (probe.copies) {
    line("copy to device, pinned", probe.copies->pinned_to_device / kGiga, "GB/s");
    line("copy to host, pinned", probe.copies->pinned_to_host / kGiga, "GB/s");
    line("copy to device, pageable", probe.copies->pageable_to_device / kGiga, "GB/s");
    line("copy to host, pageable", probe.copies->pageable_to_host / kGiga, "GB/s");
  }
  const LaunchTimes& times = probe.launches;
  line("launch, one of many", times.launch_us, "us");
  line("launch and wait", times.launch_and_wait_us, "us");
  if (times.graph_us) line("graph of one kernel, one of many", *times.graph_us, "us");
  if (times.graph_and_wait_us) line("graph and wait", *times.graph_and_wait_us, "us");
  return text;
}

std::string to_text(const Survey& survey) {
  std::string text;
  for (const Measured& device : survey.devices) {
    text += describe_device(device.info) + '\n' + facts_text(device.info) +
            probe_text(device.probe) + '\n';
  }
  for (const auto& [backend, reason] : survey.absent) {
    text += fmt::format("no {} device: {}\n", backend, reason);
  }
  return text;
}

Status print_devices(const std::string& name, bool json) {
  TESSERA_ASSIGN_OR_RETURN(const Survey survey, survey_devices(name));
  return json ? print_json(to_json(survey)) : print_output(to_text(survey));
}

}  // namespace

int run_device(int argc, const char* const* argv) {
  CLI::App app("The devices that can run a model, with measured copy and launch times.", "device");
  std::string name = "auto";
  bool json = false;
  app.add_option("--device", name, "auto (all), cuda, cuda:N, cpu or reference")
      ->capture_default_str();
  app.add_flag("--json", json, "one JSON document on stdout");
  int code = kExitOk;
  if (!parse_command_line(app, argc, argv, code)) return code;
  const Status status = print_devices(name, json);
  return status.ok() ? kExitOk : report_error(status);
}

}  // namespace tessera::cli
