// SPDX-License-Identifier: Apache-2.0
#include "engine/program/reference_run.h"

#include <vector>

#include "core/check.h"
#include "kernels/select.h"

namespace tessera {

Result<Tensor> run_on_reference(const Problem& problem, std::span<const Tensor* const> operands,
                                const TensorDesc& output) {
  const Backend* backend = find_backend("reference");
  TESSERA_CHECK(backend != nullptr);
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, backend->open(0));
  TESSERA_ASSIGN_OR_RETURN(const KernelEntry* entry, select(problem, *backend, device->info()));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, entry->create(problem, *device));
  TESSERA_ASSIGN_OR_RETURN(Tensor result, Tensor::allocate(output));
  TESSERA_ASSIGN_OR_RETURN(const Buffer workspace, device->allocate(kernel->workspace_bytes()));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, device->create_stream());
  if (result.size_bytes() == 0) return result;
  std::vector<const void*> pointers;
  for (const Tensor* operand : operands) {
    pointers.push_back(operand == nullptr ? nullptr : operand->data());
  }
  TESSERA_RETURN_IF_ERROR(
      kernel->launch({pointers, result.mutable_data(), workspace.data()}, *stream));
  TESSERA_RETURN_IF_ERROR(stream->synchronize());
  return result;
}

}  // namespace tessera
