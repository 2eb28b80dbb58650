// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/kernels.h"

#include <vector>

#include "kernels/backend.h"
#include "kernels/cuda/conv/conv_im2col.h"
#include "kernels/cuda/runtime/backend.h"
#include "kernels/cuda/runtime/launch_log.h"

namespace tessera::cuda {
namespace {

std::vector<const KernelEntry*> all_entries() {
  std::vector<const KernelEntry*> entries = {
#define TESSERA_KERNEL(name) &name##_entry,
#include "kernels/cuda/kernels.inc"
#undef TESSERA_KERNEL
  };
  const std::vector<const KernelEntry*> im2col = conv_im2col_entries();
  entries.insert(entries.end(), im2col.begin(), im2col.end());
  return entries;
}

std::span<const KernelEntry* const> kernels() {
  static const std::vector<const KernelEntry*> entries = all_entries();
  return entries;
}

}  // namespace

const Backend& backend() {
  static constexpr Backend kBackend = {"cuda",        kernels, devices, open, describe_libraries,
                                       trace_launches};
  return kBackend;
}

}  // namespace tessera::cuda
