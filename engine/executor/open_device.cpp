// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "engine/executor/compiled_model.h"
#include "engine/executor/constant_store.h"

namespace tessera {
namespace {

Result<OpenDevice> open_on(const Backend& backend, int ordinal) {
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, backend.open(ordinal));
  OpenDevice opened;
  opened.backend = &backend;
  opened.device = std::move(device);
  opened.constants = std::make_shared<ConstantStore>(opened.device);
  return opened;
}

Result<OpenDevice> open_first_present() {
  std::string reasons;
  for (const Backend* backend : backends()) {
    Result<OpenDevice> device = open_on(*backend, 0);
    if (device.ok()) return device;
    reasons += "; " + std::string(backend->name) + ": " + device.status().message();
  }
  return unavailable("no device can be opened" + reasons);
}

Status no_such_backend(const std::string& name) {
  if (name == "cuda") {
    return unavailable(
        "device cuda: this build has no CUDA backend; build again with a CUDA "
        "toolkit installed and -DTESSERA_CUDA=ON");
  }
  if (name == "cpu") {
    return unavailable(
        "device cpu: this build has no CPU backend; install oneDNN (libdnnl-dev) and "
        "build again with -DTESSERA_ONEDNN=ON, or use --device reference");
  }
  return invalid_argument("unknown device '" + name +
                          "'; known are auto, cpu, cuda, cuda:N and reference");
}

}  // namespace

Result<OpenDevice> open_device(const std::string& name) {
  if (name == "auto") return open_first_present();
  const size_t colon = name.find(':');
  const std::string backend_name = name.substr(0, colon);
  int ordinal = 0;
  if (colon != std::string::npos) {
    const char* end = name.data() + name.size();
    const auto [parsed_to, error] = std::from_chars(name.data() + colon + 1, end, ordinal);
    if (error != std::errc() || parsed_to != end || ordinal < 0) {
      return invalid_argument("device '" + name + "': what follows the colon is not a number");
    }
  }
  const Backend* backend = find_backend(backend_name);
  if (backend == nullptr) return no_such_backend(backend_name);
  Result<OpenDevice> device = open_on(*backend, ordinal);
  if (!device.ok()) return device.status().with_context("device " + name);
  return device;
}

}  // namespace tessera
