// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/layout.h"
#include "core/status.h"
#include "kernels/cpu/onednn.h"
#include "kernels/kernel.h"

namespace tessera::cpu {

// The one oneDNN engine of the process. Throws dnnl::error.
const dnnl::engine& onednn_engine();

// Attributes of every primitive: scratch memory comes from the kernel's workspace.
dnnl::primitive_attr onednn_attributes();

// A dense float32 image tensor in one of our layouts.
MemoryDesc image_desc(Layout layout, const Dims& dims);

// Runs function() and returns what it returns; oneDNN's exceptions become a status.
template <typename Function>
auto catch_onednn(Function&& function) -> decltype(function()) {
  try {
    return function();
  } catch (const dnnl::error& error) {
    const bool memory = error.status == dnnl_out_of_memory;
    return memory ? out_of_memory(std::string("oneDNN: ") + error.what())
                  : internal_error(std::string("oneDNN: ") + error.what());
  } catch (const std::bad_alloc&) {
    return out_of_memory("oneDNN: out of host memory");
  }
}

// supports() of a kernel: yes when make_desc() finds an implementation.
template <typename MakeDesc>
Support onednn_has_implementation(MakeDesc&& make_desc) {
  try {
    make_desc();
    return Support::yes();
  } catch (const dnnl::error& error) {
    return Support::no(std::string("oneDNN has no implementation: ") + error.what());
  }
}

// A primitive with its memory objects, made once and executed with other pointers each time.
class BoundPrimitive {
 public:
  BoundPrimitive() = default;
  // `arguments`: the DNNL_ARG_* that the primitive reads and writes. Throws dnnl::error.
  BoundPrimitive(const dnnl::primitive& primitive, const dnnl::primitive_desc_base& desc,
                 const std::vector<int>& arguments);

  [[nodiscard]] size_t scratchpad_bytes() const { return scratchpad_bytes_; }
  // One pointer for each argument given at construction, const or not. Throws dnnl::error.
  void execute(const std::vector<std::pair<int, const void*>>& pointers, void* scratchpad);

 private:
  dnnl::primitive primitive_;
  dnnl::stream stream_;
  std::unordered_map<int, dnnl::memory> arguments_;
  size_t scratchpad_bytes_ = 0;
};

// A kernel that is one primitive reading its operands as they are.
class PrimitiveKernel final : public Kernel {
 public:
  // operand_arguments[i] is the DNNL_ARG_* of operand i.
  PrimitiveKernel(const dnnl::primitive& primitive, const dnnl::primitive_desc_base& desc,
                  std::vector<int> operand_arguments);
  [[nodiscard]] size_t workspace_bytes() const override;
  Status launch(const Operands& operands, Stream& stream) override;

 private:
  std::vector<int> operand_arguments_;
  BoundPrimitive primitive_;
};

// The row of a kernel that is one primitive, from
//   Support check(const ProblemT&): what oneDNN would compute differently or not at all
//   primitive_desc make_desc(const ProblemT&)
//   std::vector<int> operand_arguments(const ProblemT&)
template <typename ProblemT, typename PrimitiveT, auto Check, auto MakeDesc, auto OperandArguments>
constexpr KernelEntry primitive_kernel_entry(std::string_view name, std::string_view description) {
  return KernelEntry{name, ProblemT::kFamily, description,
                     [](const Problem& problem, const DeviceInfo&) {
                       const auto& typed = std::get<ProblemT>(problem);
                       Support support = Check(typed);
                       if (!support.ok()) return support;
                       return onednn_has_implementation([&] { return MakeDesc(typed); });
                     },
                     [](const Problem& problem, Device&) {
                       return catch_onednn([&]() -> Result<std::unique_ptr<Kernel>> {
                         const auto& typed = std::get<ProblemT>(problem);
                         const auto desc = MakeDesc(typed);
                         return std::unique_ptr<Kernel>(std::make_unique<PrimitiveKernel>(
                             PrimitiveT(desc), desc, OperandArguments(typed)));
                       });
                     }};
}

// For OperandArguments of problems with one operand.
template <typename ProblemT>
std::vector<int> single_source(const ProblemT&) {
  return {DNNL_ARG_SRC};
}

// check() of the kernels that compute in float32.
Support supports_f32(DType dtype);

}  // namespace tessera::cpu
