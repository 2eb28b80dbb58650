// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/kernels.h"

#include <array>

#include "kernels/backend.h"
#include "kernels/cuda/runtime/backend.h"
#include "kernels/cuda/runtime/launch_log.h"

namespace tessera::cuda {
namespace {

std::span<const KernelEntry* const> kernels() {
  static constexpr std::array kEntries = {
#define TESSERA_KERNEL(name) &name##_entry,
#include "kernels/cuda/kernels.inc"
#undef TESSERA_KERNEL
  };
  return kEntries;
}

}  // namespace

const Backend& backend() {
  static constexpr Backend kBackend = {"cuda",        kernels, devices, open, describe_libraries,
                                       trace_launches};
  return kBackend;
}

}  // namespace tessera::cuda
