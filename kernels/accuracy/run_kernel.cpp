// SPDX-License-Identifier: Apache-2.0
#include "kernels/accuracy/run_kernel.h"

#include <algorithm>

#include "kernels/accuracy/problem_operands.h"

namespace tessera {
namespace {

// The operands that the kernel took over.
Result<std::vector<int>> pack_parameters(Kernel& kernel, const ProblemOperands& specs,
                                         const std::vector<Bytes>& inputs) {
  std::vector<Tensor> tensors(inputs.size());
  std::vector<const Tensor*> constants(inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OperandSpec& spec = specs.inputs[i];
    if (!spec.is_parameter || !spec.present) continue;
    tensors[i] = Tensor::wrap({spec.dtype, {spec.elements}}, inputs[i].data(), nullptr);
    constants[i] = &tensors[i];
  }
  return kernel.pack_constants(constants);
}

Result<Buffer> upload(const Bytes& bytes, Device& device, Stream& stream) {
  TESSERA_ASSIGN_OR_RETURN(Buffer buffer, device.allocate(bytes.size()));
  TESSERA_RETURN_IF_ERROR(stream.copy_to_device(buffer.data(), bytes.data(), bytes.size()));
  TESSERA_RETURN_IF_ERROR(stream.synchronize());
  return buffer;
}

}  // namespace

Result<Bytes> run_kernel(const KernelEntry& entry, const Problem& problem,
                         const std::vector<Bytes>& inputs, Device& device) {
  const ProblemOperands specs = describe_operands(problem);
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, entry.create(problem, device));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, device.create_stream());
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int> taken, pack_parameters(*kernel, specs, inputs));
  std::vector<Buffer> buffers;
  std::vector<const void*> pointers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_taken = std::find(taken.begin(), taken.end(), static_cast<int>(i)) != taken.end();
    pointers.push_back(nullptr);
    if (is_taken || !specs.inputs[i].present) continue;
    TESSERA_ASSIGN_OR_RETURN(Buffer buffer, upload(inputs[i], device, *stream));
    pointers.back() = buffer.data();
    buffers.push_back(std::move(buffer));
  }
  Bytes result(specs.output.size_bytes(), std::byte{0xff});
  TESSERA_ASSIGN_OR_RETURN(const Buffer output, upload(result, device, *stream));
  TESSERA_ASSIGN_OR_RETURN(const Buffer workspace, device.allocate(kernel->workspace_bytes()));
  TESSERA_RETURN_IF_ERROR(kernel->launch({pointers, output.data(), workspace.data()}, *stream));
  TESSERA_RETURN_IF_ERROR(stream->copy_to_host(result.data(), output.data(), result.size()));
  TESSERA_RETURN_IF_ERROR(stream->synchronize());
  return result;
}

}  // namespace tessera
