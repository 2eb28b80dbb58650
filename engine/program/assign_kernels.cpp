// SPDX-License-Identifier: Apache-2.0
#include "engine/program/assign_kernels.h"

#include <map>

#include "core/status_list.h"

namespace tessera {
namespace {

// True when a tensor of this shape has the same bytes in both layouts.
bool layouts_coincide(const Shape& shape, Layout a, Layout b) {
  if (a == b) return true;
  if (shape.rank() != 4) return false;
  const auto is_plain = [&](Layout layout) {
    const bool no_padding = shape[1] % layout_channel_block(layout) == 0;
    const bool one_cell = shape[2] * shape[3] == 1;
    return layout == Layout::kRowMajor || (no_padding && one_cell) ||
           (layout == Layout::kNHWC && shape[1] == 1);
  };
  return is_plain(a) && is_plain(b);
}

bool has_channel_padding(const TensorDesc& desc) {
  return desc.storage_elements() != desc.num_elements();
}

}  // namespace

ConvProblem in_preferred_layouts(const ConvProblem& conv, const KernelEntry& kernel,
                                 const DeviceInfo& device) {
  ConvProblem preferred = conv;
  if (kernel.prefer_layouts == nullptr) return preferred;
  const LayoutPreference wish = kernel.prefer_layouts(conv, device);
  preferred.src_layout = wish.src;
  preferred.dst_layout = wish.dst;
  return preferred;
}

namespace {

class Assigner {
 public:
  Assigner(Program& program, const KernelChooser& chooser) : program_(program), chooser_(chooser) {}

  Result<std::vector<KernelChoice>> run() {
    std::vector<Step> old_steps = std::move(program_.steps);
    program_.steps.clear();
    StatusList problems;
    for (const Step& step : old_steps) problems.add("layer " + step.name(), assign(step));
    for (ValueId& output : program_.outputs) {
      const std::string where = "output '" + program_.values[output].name + "'";
      problems.add(where, make_row_major(output));
    }
    TESSERA_RETURN_IF_ERROR(problems.status());
    return std::move(choices_);
  }

 private:
  Layout layout_of(ValueId value) const { return program_.values[value].desc.layout; }

  Status assign(Step step) {
    if (std::holds_alternative<ConvProblem>(step.problem)) {
      TESSERA_RETURN_IF_ERROR(adopt_preferred_layouts(step));
    } else if (!adopt_input_layout(step)) {
      for (ValueId& input : step.inputs) {
        if (input != kNoValue) TESSERA_RETURN_IF_ERROR(make_row_major(input));
      }
    }
    TESSERA_ASSIGN_OR_RETURN(KernelChoice choice, chooser_.choose(step));
    append(std::move(step), std::move(choice));
    return {};
  }

  Status adopt_preferred_layouts(Step& step) {
    TESSERA_ASSIGN_OR_RETURN(const KernelChoice choice, chooser_.choose(step));
    auto& conv = std::get<ConvProblem>(step.problem);
    if (program_.values[step.output].desc.shape.rank() == 4) {
      conv = in_preferred_layouts(conv, *choice.entry, chooser_.device());
      // What a kernel prefers when it is asked may still be refused by another that was forced.
      if (!chooser_.choose(step).ok()) conv.src_layout = conv.dst_layout = Layout::kRowMajor;
    }
    TESSERA_RETURN_IF_ERROR(make_layout(step.inputs[ConvProblem::kSrc], conv.src_layout));
    if (conv.epilogue.has_residual) {
      TESSERA_RETURN_IF_ERROR(make_layout(step.inputs[ConvProblem::kResidual], conv.dst_layout));
    }
    program_.values[step.output].desc.layout = conv.dst_layout;
    return {};
  }

  // Lets a step that does not care about the order of elements take its input's layout. False when
  // it has to be row-major.
  bool adopt_input_layout(Step& step) {
    const ValueId src = step.inputs.empty() ? kNoValue : step.inputs[0];
    if (src == kNoValue || layout_of(src) == Layout::kRowMajor) return false;
    TensorDesc dst = program_.values[step.output].desc;
    if (dst.shape.rank() != 4) return false;
    dst.layout = layout_of(src);
    Step adopted = step;
    if (auto* pool = std::get_if<PoolProblem>(&adopted.problem)) {
      pool->layout = dst.layout;
    } else if (auto* unary = std::get_if<UnaryProblem>(&adopted.problem)) {
      if (has_channel_padding(dst) && !keeps_zero(unary->activation)) return false;
      unary->count = dst.storage_elements();
    } else if (auto* binary = std::get_if<BinaryProblem>(&adopted.problem)) {
      if (!adopt_binary(*binary, step, dst)) return false;
    } else {
      return false;
    }
    if (!chooser_.choose(adopted).ok()) return false;
    step = std::move(adopted);
    program_.values[step.output].desc.layout = dst.layout;
    return true;
  }

  bool adopt_binary(BinaryProblem& binary, const Step& step, const TensorDesc& dst) const {
    const bool divides = binary.kind == BinaryKind::kDiv;
    if (!binary.is_dense() || layout_of(step.inputs[1]) != dst.layout) return false;
    if (has_channel_padding(dst) && divides) return false;  // 0 / 0 in the padding
    binary.rank = 1;
    binary.extent[0] = dst.storage_elements();
    binary.stride_a[0] = binary.stride_b[0] = 1;
    return true;
  }

  static bool keeps_zero(const Activation& activation) {
    switch (activation.kind) {
      case ActivationKind::kSigmoid:
        return false;
      case ActivationKind::kClip:
        return activation.alpha <= 0.0f && activation.beta >= 0.0f;
      default:
        return true;
    }
  }

  Status make_row_major(ValueId& value) { return make_layout(value, Layout::kRowMajor); }

  // An alias (the result of a Reshape, say) sees the bytes of its root as row-major, whatever its
  // root's shape is. When the root has got another layout, the alias moves to a row-major copy.
  Status repair_alias(ValueId value) {
    ValueId root = program_.root(value);
    const TensorDesc& desc = program_.values[root].desc;
    if (root == value || layout_of(value) != Layout::kRowMajor ||
        layouts_coincide(desc.shape, desc.layout, Layout::kRowMajor)) {
      return {};
    }
    TESSERA_RETURN_IF_ERROR(make_row_major(root));
    program_.values[value].alias_of = program_.root(root);
    return {};
  }

  // Replaces `value` by one with the same elements in `layout`.
  Status make_layout(ValueId& value, Layout layout) {
    TESSERA_RETURN_IF_ERROR(repair_alias(value));
    if (layout_of(value) == layout) return {};
    const auto key = std::make_pair(value, layout);
    if (const auto known = reordered_.find(key); known != reordered_.end()) {
      value = known->second;
      return {};
    }
    const TensorDesc source = program_.values[value].desc;
    ProgramValue target;
    target.name = program_.values[value].name + "." + layout_name(layout);
    target.desc = {source.dtype, source.shape, layout};
    if (layouts_coincide(source.shape, source.layout, layout)) {
      target.alias_of = program_.root(value);
      value = reordered_[key] = program_.add_value(std::move(target));
      return {};
    }
    return insert_reorder(value, std::move(target), key);
  }

  Status insert_reorder(ValueId& value, ProgramValue target, std::pair<ValueId, Layout> key) {
    const TensorDesc source = program_.values[value].desc;
    const Shape& shape = source.shape;
    Step step;
    step.node_names = {"reorder(" + program_.values[value].name + ")"};
    step.op_types = {"Reorder"};
    step.problem = ReorderProblem{source.dtype, shape[0],      shape[1],          shape[2],
                                  shape[3],     source.layout, target.desc.layout};
    step.inputs = {value};
    TESSERA_ASSIGN_OR_RETURN(KernelChoice choice, chooser_.choose(step));
    step.output = program_.add_value(std::move(target));
    value = reordered_[key] = step.output;
    append(std::move(step), std::move(choice));
    return {};
  }

  void append(Step step, KernelChoice choice) {
    program_.steps.push_back(std::move(step));
    choices_.push_back(std::move(choice));
  }

  Program& program_;
  const KernelChooser& chooser_;
  std::vector<KernelChoice> choices_;
  std::map<std::pair<ValueId, Layout>, ValueId> reordered_;
};

}  // namespace

Result<std::vector<KernelChoice>> assign_kernels(Program& program, const KernelChooser& chooser) {
  return Assigner(program, chooser).run();
}

}  // namespace tessera
