// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/primitive.h"

namespace tessera::cpu {

const dnnl::engine& onednn_engine() {
  static const dnnl::engine kEngine(dnnl::engine::kind::cpu, 0);
  return kEngine;
}

dnnl::primitive_attr onednn_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

MemoryDesc image_desc(Layout layout, const Dims& dims) {
  using Tag = dnnl::memory::format_tag;
  Tag tag = Tag::nchw;
  switch (layout) {
    case Layout::kRowMajor:
      tag = Tag::nchw;
      break;
    case Layout::kNHWC:
      tag = Tag::nhwc;
      break;
    case Layout::kNChw8c:
      tag = Tag::nChw8c;
      break;
    case Layout::kNChw16c:
      tag = Tag::nChw16c;
      break;
  }
  return {dims, dnnl::memory::data_type::f32, tag};
}

BoundPrimitive::BoundPrimitive(const dnnl::primitive& primitive,
                               const dnnl::primitive_desc_base& desc,
                               const std::vector<int>& arguments)
    : primitive_(primitive), stream_(onednn_engine()) {
  const auto add = [&](int argument, const MemoryDesc& memory_desc) {
    arguments_.emplace(argument, dnnl::memory(memory_desc, onednn_engine(), nullptr));
  };
  for (const int argument : arguments) {
    add(argument, desc.query_md(dnnl::query::exec_arg_md, argument));
  }
  add(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
  scratchpad_bytes_ = desc.scratchpad_desc().get_size();
}

void BoundPrimitive::execute(const std::vector<std::pair<int, const void*>>& pointers,
                             void* scratchpad) {
  // oneDNN's interface has no pointers to const; it writes to the destination only.
  for (const auto& [argument, pointer] : pointers) {
    arguments_.at(argument).set_data_handle(const_cast<void*>(pointer));
  }
  arguments_.at(DNNL_ARG_SCRATCHPAD).set_data_handle(scratchpad);
  primitive_.execute(stream_, arguments_);
  stream_.wait();
}

namespace {

std::vector<int> with_destination(std::vector<int> arguments) {
  arguments.push_back(DNNL_ARG_DST);
  return arguments;
}

}  // namespace

PrimitiveKernel::PrimitiveKernel(const dnnl::primitive& primitive,
                                 const dnnl::primitive_desc_base& desc,
                                 std::vector<int> operand_arguments)
    : operand_arguments_(std::move(operand_arguments)),
      primitive_(primitive, desc, with_destination(operand_arguments_)) {}

size_t PrimitiveKernel::workspace_bytes() const { return primitive_.scratchpad_bytes(); }

Status PrimitiveKernel::launch(const Operands& operands, Stream&) {
  return catch_onednn([&]() -> Status {
    std::vector<std::pair<int, const void*>> pointers = {{DNNL_ARG_DST, operands.output}};
    for (size_t i = 0; i < operand_arguments_.size(); ++i) {
      pointers.emplace_back(operand_arguments_[i], operands.inputs[i]);
    }
    primitive_.execute(pointers, operands.workspace);
    return {};
  });
}

Support supports_f32(DType dtype) {
  if (dtype == DType::kF32) return Support::yes();
  return Support::no(std::string("computes float32, not ") + dtype_name(dtype));
}

}  // namespace tessera::cpu
